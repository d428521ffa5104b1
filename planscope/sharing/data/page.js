"use strict";
// Steps through the runs of the session that this page carries. Everything that comes from the session is put on
// the page as text; nothing is fetched, stored or evaluated.
(() => {
  const byId = (id) => document.getElementById(id);
  const view = JSON.parse(byId("planscope-view").textContent);
  const WORDS = { h: "✓ holds", o: "○ open", b: "✗ broken", k: "● CORE" };
  const STATES = { completable: "✓", doomed: "●", broken: "✗", unknown: "?" };
  const LISTS = { pieces: "text", nodes: "tree", constraints: "constraints" };
  const PANES = { pieces: 1, nodes: 2, constraints: 3 };
  const now = { run: null, request: null, index: 0, picked: null, pane: 4 };
  let items = {}; // by list: the elements that can light up, by their numbers
  let lit = [];

  function make(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (name === "class") element.className = value;
      else element.setAttribute(name, value);
    }
    for (const child of children.flat(Infinity)) if (child !== null && child !== "") element.append(child);
    return element;
  }
  const span = (name, text) => make("span", { class: name }, text);
  const note = (pane, text) => { byId(`pane-${pane}`).querySelector("h2 small").textContent = text; };
  const step = () => now.run.steps[now.index];
  const stepName = (s) => (s.step === "0" ? "before any call" : s.step === "end" ? "the end" : `step ${s.step}`);
  const plural = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;

  // The status of every constraint after the current step, as letters.
  function statuses(index) {
    const found = [...now.run.begins];
    for (let i = 0; i <= index; i++) for (const [c, letter] of now.run.steps[i].changes) found[c] = letter;
    return found;
  }

  // What is built once for a run

  function open(number) {
    now.run = view.runs[number];
    now.request = view.requests[now.run.request];
    now.picked = null;
    items = { pieces: [], nodes: [], constraints: [], steps: [] };
    lit = [];
    byId("run").value = String(number);
    showVerdict();
    buildText();
    buildTree();
    buildConstraints();
    buildTimeline();
    byId("report").replaceChildren();
    go(now.run.first === null ? now.run.steps.length - 1 : now.run.first, true);
  }

  function showVerdict() {
    const run = now.run;
    const glyph = { right: "✓", wrong: "✗", aborted: "◌", unknown: "?", none: "○" }[run.kind];
    const headline = byId("headline");
    headline.className = run.kind;
    headline.textContent = `${glyph} ${run.verdict}`;
    const lost = run.steps.filter((s) => s.lost).map(stepName);
    byId("where").textContent = [lost.length ? `lost at ${lost[lost.length - 1]}` : "",
      run.forked ? `forked from ${run.forked}` : ""].filter(Boolean).map((part) => `· ${part}`).join(" ");
    byId("why").textContent = run.why;
    byId("repair").hidden = !run.repair.length;
    byId("repair").querySelector("pre").textContent = run.repair.join("\n");
  }

  function pickable(list, number, element) {
    element.setAttribute("tabindex", "-1");
    element.addEventListener("click", () => pick(list, number));
    element.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); pick(list, number); }
    });
    items[list][number] = element;
    return element;
  }

  function buildText() {
    const { pieces, actions, timed, origin, topic } = now.request;
    byId("text").replaceChildren(...pieces.map((piece, n) => {
      if (/[\p{L}\p{N}]/u.test(piece)) return pickable("pieces", n, make("span", { role: "button" }, piece));
      if (piece.trim()) items.pieces[n] = span("mark-only", piece); // a period lights up, but is not to be picked
      return items.pieces[n] || piece;
    }));
    byId("actions").replaceChildren(...actions.map((a) => make("li", { class: "line" },
      span("id fixed", a.id), span("grow", a.name), a.hours ? span("dim fixed", `${a.hours} h`) : null,
      span("tail", ""))));
    note(1, [origin, timed ? "timed" : "", topic].filter(Boolean).join(" · "));
  }

  function buildTree() {
    const { nodes } = now.request;
    const last = nodes.map((node, n) => {
      for (let i = n + 1; i < nodes.length && nodes[i].depth >= node.depth; i++)
        if (nodes[i].depth === node.depth) return false;
      return true;
    });
    const open = [];
    byId("tree").replaceChildren(...nodes.map((node, n) => {
      open.length = node.depth;
      const twigs = open.slice(1).map((isLast) => (isLast ? "  " : "│ ")).join("");
      const twig = node.depth ? `${twigs}${last[n] ? "└ " : "├ "}` : "";
      open.push(last[n]);
      const says = node.says.length === 1 ? now.request.constraints[node.says[0]].id : "";
      return pickable("nodes", n, make("li", { class: "line", role: "treeitem", "aria-level": node.depth + 1 },
        make("span", { class: "grow" }, make("span", { class: "twig", "aria-hidden": "true" }, twig), node.label),
        span("tail", says)));
    }));
    note(2, "");
  }

  function buildConstraints() {
    let rules = false;
    const widest = Math.max(0, ...now.request.constraints.map((c) => c.id.length));
    byId("constraints").replaceChildren(...now.request.constraints.map((c, n) => {
      const first = c.rule && !rules;
      rules = rules || c.rule;
      return pickable("constraints", n, make("li", { class: first ? "line rules" : "line", role: "option" },
        span("fixed status", ""), span("id fixed", c.id.padEnd(widest)), span("grow", c.words)));
    }));
  }

  function buildTimeline() {
    const lines = [];
    let attempt = 1;
    now.run.steps.forEach((s, n) => {
      if (s.attempt !== attempt) {
        attempt = s.attempt;
        lines.push(make("li", { class: "attempt", role: "presentation" }, `attempt ${attempt}`));
      }
      const problems = s.found.map((f) => f.type);
      if (s.lost) problems.unshift("NO WAY ON");
      if (s.refused) problems.unshift("refused");
      if (s.unanswered) problems.unshift("perhaps not done");
      const call = s.step === "0" ? "before any call" : s.step === "end" ? now.run.ending : s.call;
      const edge = s.step === "0" || s.step === "end";
      lines.push(pickable("steps", n, make("li", { class: edge ? "line edge" : "line", role: "option" },
        span("fixed dim", s.step.padStart(3)), span(`fixed ${s.state}`, STATES[s.state]),
        make("span", edge ? { class: "grow dim" } : { class: "grow call", title: call }, call),
        make("span", { class: "tail" },
          problems.length ? span(s.lost ? "lost" : "caution", problems.join(", ")) : null,
          s.hours ? span("dim hours", s.hours) : null,
          span(s.state, s.state)))));
    });
    byId("timeline").replaceChildren(...lines);
    note(4, plural(calls(), "call"));
    // As wide as it ever gets, so that the buttons beside it stay where they are.
    byId("place").style.setProperty("--widest", `${Math.max("before any call".length, placeOf(calls(), "step ").length)}ch`);
    byId("place").style.setProperty("--widest-short", `${Math.max("start".length, placeOf(calls(), "").length)}ch`);
  }

  const calls = () => now.run.steps.length - 1 - (now.run.steps[now.run.steps.length - 1].step === "end" ? 1 : 0);
  const placeOf = (number, before) => (before ? `${before}${number} of ${calls()}` : `${number}/${calls()}`);

  // Scrolls the pane around an element, never the page, until the element is seen.
  function reveal(element) {
    const body = element.closest(".body");
    const [inner, outer] = [element.getBoundingClientRect(), body.getBoundingClientRect()];
    if (!seen(inner, outer)) body.scrollTop += (inner.top + inner.bottom - outer.top - outer.bottom) / 2;
  }

  const seen = (inner, outer) => inner.top >= outer.top && inner.bottom <= outer.bottom;
  const litIn = (list) => lit.filter((element) => items[list].includes(element));

  // Of several elements of a pane one is enough: nothing moves where one is seen already.
  function revealOne(elements) {
    if (!elements.length) return;
    const outer = elements[0].closest(".body").getBoundingClientRect();
    if (!elements.some((element) => seen(element.getBoundingClientRect(), outer))) reveal(elements[0]);
  }

  // What changes from step to step

  function go(index, quiet) {
    now.index = Math.max(0, Math.min(index, now.run.steps.length - 1));
    now.picked = null;
    refresh();
    reveal(items.steps[now.index]);
    const inLit = (numbers) => numbers.map((n) => items.constraints[n]).filter((element) => lit.includes(element));
    const [core, changed] = [inLit(step().core || []), inLit(step().changes.map(([c]) => c))];
    revealOne(core.length ? core : changed.length ? changed : litIn("constraints"));
    revealOne(litIn("pieces"));
    revealOne(litIn("nodes"));
    if (!quiet) say(`${stepName(step())}: ${step().state}. ${step().call}`);
  }

  function pick(list, number) {
    now.pane = PANES[list] || 4;
    if (list === "steps") { go(number); rove(); return; }
    const same = now.picked && now.picked.list === list && now.picked.number === number;
    now.picked = same ? null : { list, number };
    refresh();
    rove();
    for (const other of ["pieces", "nodes", "constraints", "steps"]) if (other !== list) revealOne(litIn(other));
    if (now.picked) reveal(items[list][number]);
    const [pieces, nodes, constraints, steps] = belonging();
    if (now.picked)
      say(`lit: ${plural(pieces.length, "phrase")}, ${plural(nodes.length, "node")}, ` +
        `${plural(constraints.length, "constraint")}, ${plural(steps.length, "step")}`);
  }

  // Numbers of pieces, nodes, constraints and steps that belong to what is selected, else to the current step.
  function belonging() {
    const of = now.run.lit;
    if (!now.picked) return [...of.steps[now.index], [now.index]];
    const { list, number } = now.picked;
    return [...now.request.lit[list][number], of[list][number]];
  }

  function refresh() {
    for (const element of lit) element.classList.remove("lit");
    const [pieces, nodes, constraints, steps] = belonging();
    lit = [...pieces.map((n) => items.pieces[n]), ...nodes.map((n) => items.nodes[n]),
      ...constraints.map((n) => items.constraints[n]), ...steps.map((n) => items.steps[n])].filter(Boolean);
    for (const element of lit) element.classList.add("lit");
    for (const element of document.querySelectorAll("main .picked, main .current")) {
      element.classList.remove("current");
      mark(element, false);
    }
    items.steps[now.index].classList.add("current");
    mark(now.picked ? items[now.picked.list][now.picked.number] : items.steps[now.index], true);
    for (const element of document.querySelectorAll("#timeline [aria-current]")) element.removeAttribute("aria-current");
    items.steps[now.index].setAttribute("aria-current", "step");
    showStatuses();
    showActions();
    showDetail();
    const s = step();
    const edge = s.step === "0" || s.step === "end";
    byId("place").querySelector(".long").textContent = edge ? stepName(s) : placeOf(s.step, "step ");
    byId("place").querySelector(".short").textContent = s.step === "0" ? "start" : edge ? "end" : placeOf(s.step, "");
    for (const [name, off] of [["start", now.index === 0], ["back", now.index === 0],
      ["next", now.index === now.run.steps.length - 1], ["end", now.index === now.run.steps.length - 1],
      ["first", now.run.first === null]])
      document.querySelector(`[data-do="${name}"]`).disabled = off;
  }

  function mark(element, on) {
    element.classList.toggle("picked", on);
    if (element.getAttribute("role") === "button") element.setAttribute("aria-pressed", String(on));
    else element.setAttribute("aria-selected", String(on));
  }

  function showStatuses() {
    const core = new Set(step().core || []);
    statuses(now.index).forEach((letter, n) => {
      const shown = core.has(n) ? "k" : letter;
      const status = items.constraints[n].querySelector(".status");
      if (status.textContent.trim() !== WORDS[shown]) {
        status.textContent = WORDS[shown].padEnd(8);
        status.className = `fixed status ${shown}`;
      }
    });
    note(3, step().step === "0" ? "before any call" : `after ${stepName(step())}`);
    const number = now.picked && now.picked.list === "constraints" ? now.picked.number : (step().core || [])[0];
    const c = number === undefined ? null : now.request.constraints[number];
    byId("words").textContent = !c ? "" : c.rule ? `${c.id}: ${c.words}, say the instructions.`
      : `${c.id} (${c.symbols}), in sentence ${c.sentence}: ${c.words}.`;
  }

  function showActions() {
    const done = new Map();
    for (let i = 0; i <= now.index; i++) {
      const s = now.run.steps[i];
      if (s.attempt === step().attempt && s.action && !done.has(s.action)) done.set(s.action, s.step);
    }
    const lines = byId("actions").children;
    const [pieces] = belonging();
    now.request.actions.forEach((a, n) => {
      const tail = lines[n].querySelector(".tail");
      tail.textContent = done.has(a.id) ? `✓ step ${done.get(a.id)}` : "○ to do";
      tail.className = `tail ${done.has(a.id) ? "h" : "o"}`;
      lines[n].classList.toggle("lit", a.pieces.some((piece) => pieces.includes(piece)));
    });
  }

  // Label, text and class of every row that tells of a step.
  function rows(s) {
    const told = [];
    const row = (label, text, name) => { if (text) told.push([label, text, name || ""]); };
    row("said", s.step === "end" ? now.run.said : "");
    row("thought", s.thought);
    if (s.step === "0") row("", "Nothing has been called yet.", "dim");
    else if (s.step === "end") row("", now.run.ending, "dim");
    else row("call", s.call, "call");
    row("arguments", /^\{("start_time": \d+)?\}$/.test(s.arguments) ? "" : s.arguments);
    row("raw", s.raw, "dim");
    row("hours", s.hours);
    row("error", s.error, "broken");
    row("asked", s.asked ? `${s.asked} (edited by hand)` : "", "dim");
    row("refused", s.refused ? `by ${s.refused === "user" ? "the user" : "the guard"}: the tool was not called` : "", "caution");
    row("answer", s.unanswered ? "none: the run was cut short, and whether the call was done is not known" : s.answer, s.failed || s.unanswered ? "caution" : "");
    row("instead", s.replaced ? `${s.replaced} (the tool's own answer, edited by hand)` : "", "dim");
    for (const line of s.trouble || (s.step === "end" ? now.run.trouble : [])) row("trouble", line, "caution");
    row("kept", s.kept ? "from the run that this one was forked from" : "", "dim");
    return told;
  }

  function meaning(s) {
    const told = [["state", `${STATES[s.state]} ${s.state}${s.lost ? "  NO WAY ON: the plan was lost here" : ""}`, s.state]];
    for (const f of s.found) told.push([f.error ? "✗ error" : "! warning", f.text.replace(/^(error|warning): /, ""), f.error ? "broken" : "caution"]);
    if (s.safe) told.push(["safe next", s.safe, "safe"]);
    if (s.state === "completable" && s.step !== "end")
      told.push(["ways on", s.ways === "many" || s.ways === "not known" ? s.ways : plural(Number(s.ways), "valid order"), "dim"]);
    return told;
  }

  function showDetail() {
    const s = step();
    byId("step-name").textContent = s.step === "0" ? "Before any call" : s.step === "end" ? "The end" : `Step ${s.step}`;
    note(5, `${STATES[s.state]} ${s.state}`);
    const lines = [];
    const add = (name) => ([label, text, kind], n) =>
      lines.push(make("dt", n ? {} : { class: name }, label), make("dd", { class: n ? kind : `${kind} ${name}` }, text));
    rows(s).forEach(add(""));
    meaning(s).forEach(add("gap"));
    if (s.core) {
      const members = s.core.map((n) => {
        const c = now.request.constraints[n];
        const button = make("button", { type: "button" }, `● ${c.id} ${c.words}`);
        button.addEventListener("click", () => pick("constraints", n));
        return make("div", {}, button);
      });
      const steps = (s.core_steps || []).map((k) => (k === "end" ? "the end" : `step ${k}`)).join(", ");
      lines.push(make("dt", {}, "core"), make("dd", {}, "cannot be met together:", members, steps ? span("dim", `with ${steps}`) : null));
    }
    byId("detail").replaceChildren(...lines);
  }

  // Going about

  const canBePicked = (element) => Boolean(element) && element.hasAttribute("tabindex");
  const say = (text) => { byId("said").textContent = text; };

  function rove() {
    for (const element of document.querySelectorAll('main [tabindex="0"]')) element.setAttribute("tabindex", "-1");
    for (const list of ["pieces", "nodes", "constraints", "steps"]) {
      const element = current(list);
      if (element) element.setAttribute("tabindex", "0");
    }
  }

  function current(list) {
    if (list === "steps") return items.steps[now.index];
    if (now.picked && now.picked.list === list) return items[list][now.picked.number];
    const first = items[list].find((element) => canBePicked(element) && element.classList.contains("lit"));
    return first || items[list].find(canBePicked);
  }

  function focusPane(number) {
    now.pane = number;
    rove();
    const list = [null, "pieces", "nodes", "constraints", "steps"][number];
    const element = list ? current(list) : byId("pane-5").querySelector(".body");
    if (!list) element.setAttribute("tabindex", "-1");
    if (element) element.focus();
  }

  function move(by) {
    const list = [null, "pieces", "nodes", "constraints"][now.pane];
    if (!list) { if (now.pane === 5) byId("pane-5").querySelector(".body").scrollBy(0, by * 40); else goAndFocus(now.index + by); return; }
    const numbers = items[list].map((element, n) => (canBePicked(element) ? n : -1)).filter((n) => n >= 0);
    const at = numbers.indexOf(items[list].indexOf(current(list)));
    const started = now.picked && now.picked.list === list;
    const next = numbers[started ? Math.max(0, Math.min(at + by, numbers.length - 1)) : Math.max(0, at)];
    if (next === undefined || (started && next === now.picked.number)) return;
    pick(list, next);
    items[list][next].focus({ preventScroll: true });
  }

  function goAndFocus(index) {
    go(index);
    rove();
    if (document.activeElement && document.activeElement.closest("#timeline")) items.steps[now.index].focus({ preventScroll: true });
  }

  const doing = {
    start: () => goAndFocus(0),
    back: () => goAndFocus(now.index - 1),
    next: () => goAndFocus(now.index + 1),
    end: () => goAndFocus(now.run.steps.length - 1),
    first: () => { if (now.run.first !== null) goAndFocus(now.run.first); },
    deselect: () => { now.picked = null; refresh(); rove(); say("nothing selected"); },
    explain: () => { byId("verdict").focus(); byId("verdict").scrollIntoView({ block: "nearest" }); say(now.run.why || now.run.verdict); },
    runs: () => byId("run").focus(),
    help: () => byId("help").showModal(),
    theme: () => {
      const root = document.documentElement;
      const dark = root.dataset.theme ? root.dataset.theme === "dark" : !matchMedia("(prefers-color-scheme: light)").matches;
      root.dataset.theme = dark ? "light" : "dark";
      say(`${root.dataset.theme} theme`);
    },
  };
  const KEYS = {
    n: doing.next, ArrowRight: doing.next, N: doing.back, ArrowLeft: doing.back, f: doing.first, g: doing.start,
    Home: doing.start, G: doing.end, End: doing.end, Escape: doing.deselect, x: doing.explain, o: doing.runs,
    t: doing.theme, "?": doing.help, ArrowUp: () => move(-1), ArrowDown: () => move(1),
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (byId("help").open) { if (event.key === "?") byId("help").close(); return; }
    if (event.target.closest("select, summary") && event.key !== "?" && !/^[1-5]$/.test(event.key)) return;
    const action = /^[1-5]$/.test(event.key) ? () => focusPane(Number(event.key)) : KEYS[event.key];
    if (action) { event.preventDefault(); action(); }
  });
  for (const button of document.querySelectorAll("[data-do]"))
    button.addEventListener("click", () => doing[button.dataset.do]());
  byId("theme").addEventListener("click", doing.theme);
  byId("keys").addEventListener("click", doing.help);
  byId("run").addEventListener("change", (event) => { open(Number(event.target.value)); rove(); });

  // On paper: the whole run

  function report() {
    const run = now.run;
    const all = statuses(run.steps.length - 1);
    const core = new Set(run.steps[run.steps.length - 1].core || []);
    const list = (pairs) => make("dl", {}, pairs.map(([label, text]) => [make("dt", {}, label), make("dd", {}, text)]));
    byId("report").replaceChildren(
      make("h1", {}, view.title), make("p", {}, view.titles[view.runs.indexOf(run)]),
      make("p", {}, view.notes),
      make("h2", {}, byId("headline").textContent), make("p", {}, run.why),
      make("h2", {}, "Request"), make("p", {}, now.request.pieces.join("")),
      list(now.request.actions.map((a) => [a.id, a.hours ? `${a.name} (${a.hours} h)` : a.name])),
      make("h2", {}, "Constraints at the end"),
      make("table", {}, make("tbody", {}, now.request.constraints.map((c, n) => make("tr", {},
        make("td", {}, WORDS[core.has(n) ? "k" : all[n]]), make("td", {}, c.id), make("td", {}, c.words))))),
      make("h2", {}, "Steps"),
      ...run.steps.map((s) => make("section", {},
        make("h3", {}, `${stepName(s)}${s.attempt > 1 ? ` (attempt ${s.attempt})` : ""}`),
        list([...rows(s), ...meaning(s)]))),
      ...(run.repair.length ? [make("h2", {}, "What the agent should have done"), make("pre", {}, run.repair.join("\n"))] : []));
  }
  const onPaper = () => { if (!byId("report").firstChild) report(); };
  window.addEventListener("beforeprint", onPaper);
  matchMedia("print").addEventListener("change", (event) => { if (event.matches) onPaper(); });

  byId("title").textContent = view.title;
  byId("notes").hidden = !view.notes.trim();
  byId("notes").querySelector("p").textContent = view.notes.trim();
  byId("run").replaceChildren(...view.titles.map((title, n) => make("option", { value: n }, title)));
  byId("run").closest("label").hidden = view.runs.length < 2 && !view.runs[0].id;
  byId("more").textContent = view.left_out
    ? `${plural(view.left_out, "more run")} in the session that this page carries; planscope open shows them.` : "";
  byId("more").hidden = !view.left_out;
  byId("screen").hidden = false;
  open(view.show);
  rove();
})();
