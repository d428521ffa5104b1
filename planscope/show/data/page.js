"use strict";
// The program of every page: it searches long tables, and steps through runs. What a page says is on it as text already;
// nothing is fetched, stored or evaluated.
(() => {
  const one = (what, from = document) => from.querySelector(what);
  const all = (what, from = document) => [...from.querySelectorAll(what)];
  const json = (id) => JSON.parse(document.getElementById(id)?.textContent || "null");
  const make = (tag, more, ...inside) => {
    const made = Object.assign(document.createElement(tag), more);
    made.append(...inside);
    return made;
  };
  const header = one("header");
  const button = (words, title, does) => make("button", { type: "button", title, onclick: does }, ...words);

  // Light and dark

  const theme = () => {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : !matchMedia("(prefers-color-scheme: light)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  };
  const themes = button(["◐ theme"], "light or dark (t)", theme);
  header.append(themes);

  // Long tables

  const MOST = 200, every = json("rows");
  for (const table of all("table[data-rows]")) {
    const rows = every[+table.dataset.rows], words = rows.map((row) => row.join(" ").toLowerCase());
    const field = one(`#search-${table.dataset.rows}`), count = one(`#count-${table.dataset.rows}`);
    const draw = () => {
      const wanted = field.value.toLowerCase().split(/\s+/).filter(Boolean);
      const found = rows.filter((_, k) => wanted.every((word) => words[k].includes(word)));
      table.tBodies[0].replaceChildren(...found.slice(0, MOST).map((cells) => make("tr", {}, ...cells.map((cell) => make("td", {}, cell)))));
      const shown = found.length > MOST ? `, the first ${MOST} are shown` : "";
      count.textContent = `${found.length} of ${rows.length}${shown}`;
    };
    field.addEventListener("input", draw);
    draw();
  }

  // Stepping through runs

  const view = json("steps");
  if (!view) return;
  const LISTS = ["text", "tree", "constraints", "steps"]; // whose rows are linked by their numbers
  const parts = new Map(); // runs and queries by name, those on the page and the spare ones
  const opened = new Map(); // which parts of a step the user opened or closed, by title
  const now = { run: null, at: 0, picked: null };
  const held = new Map(); // the steps of a run, of which only the current one is on the page
  let rows, steps, stepBody, lit, told;

  const part = (name) => {
    if (!parts.has(name)) {
      const found = document.getElementById(name);
      parts.set(name, found.content ? found.content.firstElementChild : found);
    }
    return parts.get(name);
  };

  function open(number) {
    now.run = view.runs[number];
    for (const [kind, name] of [["run", `run-${number}`], ["query", `query-${now.run.query}`]]) {
      const [before, after] = [one(`main > .${kind}`), part(name)];
      if (before !== after) {
        parts.set(before.id || before.dataset.name, before);
        before.replaceWith(after);
      }
    }
    rows = Object.fromEntries([...LISTS, "actions"].map((list) => [list, all(`main .rows.${list} li`)]));
    stepBody = one("main .p5 .body");
    steps = held.get(stepBody) || all(".step", stepBody);
    held.set(stepBody, steps);
    lit = [];
    told = { constraints: [], actions: [] };
    for (const list of LISTS) {
      for (const host of all(`main .rows.${list}`)) {
        host.setAttribute("role", "listbox");
        host.setAttribute("aria-label", list);
      }
      for (const row of rows[list]) if (canBePicked(row)) row.setAttribute("role", "option");
    }
    texts = null;
    place.style.width = `${Math.max(15, `step ${calls()} of ${calls()}`.length)}ch`; // the buttons beside it stay
    chooser.value = String(number);
    now.at = 0;
    go(now.run.at, true);
  }

  const canBePicked = (row) => /[\p{L}\p{N}]/u.test(row.textContent);
  const name = (at) => one("h3", steps[at]).firstChild.textContent.trim();
  const say = (text) => { said.textContent = text; };

  function go(at, quiet) {
    rows.steps[now.at].removeAttribute("aria-current");
    now.at = Math.max(0, Math.min(at, steps.length - 1));
    now.picked = null;
    rows.steps[now.at].setAttribute("aria-current", "step");
    for (const fold of all("details", steps[now.at])) {
      const wanted = opened.get(fold.firstChild.textContent);
      if (wanted !== undefined) fold.open = wanted;
    }
    stepBody.replaceChildren(steps[now.at]);
    place.textContent = /^Step/.test(name(now.at)) ? `${name(now.at).toLowerCase()} of ${calls()}` : name(now.at).toLowerCase();
    become("constraints");
    become("actions");
    light();
    reveal("steps", [now.at]);
    if (!quiet) say(one("h3", steps[now.at]).textContent);
  }
  const calls = () => steps.length - 1 - /end/.test(name(steps.length - 1));

  // What constraints and actions are after the current step: only cells that differ are written.
  function become(list) {
    const found = [];
    for (let i = 0; i <= now.at; i++) for (const [n, word] of now.run[list][i]) found[n] = word;
    found.forEach((word, n) => {
      if (told[list][n] === word) return;
      told[list][n] = word;
      const [text, tone] = view.words[word];
      Object.assign(rows[list][n].firstChild, { textContent: text, className: tone });
    });
  }

  // Lights what belongs to the selected row, or else to the current step.
  function light() {
    for (const row of lit) { row.classList.remove("lit", "picked"); row.removeAttribute("aria-selected"); }
    const { picked, run } = now;
    const numbers = picked ? [...view.queries[run.query][picked.list][picked.n], run.lit[picked.list][picked.n]]
      : [...run.lit.steps[now.at], [now.at]];
    lit = numbers.flatMap((some, k) => some.map((n) => rows[LISTS[k]][n]));
    for (const row of lit) row.classList.add("lit");
    if (picked) {
      const row = rows[picked.list][picked.n];
      lit.push(row);
      row.classList.add("picked");
      row.setAttribute("aria-selected", "true");
    }
    LISTS.forEach((list, k) => { if (!picked || picked.list !== list) reveal(list, numbers[k]); });
    rove();
  }

  function pick(list, n) {
    if (list === "steps") { go(n); return; }
    const same = now.picked && now.picked.list === list && now.picked.n === n;
    now.picked = same ? null : { list, n };
    light();
    if (now.picked) { reveal(list, [n]); say(`lit: ${lit.length - 1} rows`); }
  }

  // Scrolls a pane, never the page, until one of these rows is visible; those of the conflict come first.
  function reveal(list, numbers) {
    if (!numbers.length) return;
    const body = rows[list][0].closest(".body"), outer = body.getBoundingClientRect();
    const core = numbers.filter((n) => one(".core", rows[list][n]));
    const boxes = (list === "constraints" && core.length ? core : numbers).map((n) => rows[list][n].getBoundingClientRect());
    if (boxes.some((box) => box.top >= outer.top && box.bottom <= outer.bottom)) return;
    body.scrollTop += (boxes[0].top + boxes[0].bottom - outer.top - outer.bottom) / 2;
  }

  // Tab stops once in each list, as ARIA recommends: at the current or selected row, or else the first lit one.
  let stops = {};
  const stopOf = (list) => {
    if (list === "steps") return now.at;
    if (now.picked?.list === list) return now.picked.n;
    const first = rows[list].findIndex((row) => canBePicked(row) && row.classList.contains("lit"));
    return first < 0 ? rows[list].findIndex(canBePicked) : first;
  };
  function rove() {
    for (const list of LISTS) {
      stops[list]?.removeAttribute("tabindex");
      stops[list] = rows[list][stopOf(list)];
      stops[list]?.setAttribute("tabindex", "0");
    }
  }

  const paneOf = (element) => element?.closest?.(".pane");
  const listIn = (pane) => LISTS.find((list) => one(`.rows.${list}`, pane));
  function focusPane(number) {
    const pane = one(`main .p${number}`);
    if (!pane) return;
    const list = listIn(pane);
    const target = list ? stops[list] : one(".body", pane);
    if (!list) target.setAttribute("tabindex", "-1");
    target?.focus({ preventScroll: true });
  }

  function move(by) {
    const pane = paneOf(document.activeElement);
    const list = pane ? listIn(pane) : "steps";
    if (!list) { one(".body", pane).scrollBy(0, by * 40); return; }
    if (list === "steps") { go(now.at + by); follow(); return; }
    let next = stopOf(list);
    if (now.picked?.list === list) do next += by; while (rows[list][next] && !canBePicked(rows[list][next]));
    if (!rows[list][next]) return;
    pick(list, next);
    rows[list][next].focus({ preventScroll: true });
  }
  function follow() { if (document.activeElement.closest(".rows.steps")) stops.steps.focus({ preventScroll: true }); }
  const step = (at) => () => { go(typeof at === "function" ? at() : at); follow(); };

  // Search: steps first, then constraints, then the text of the query

  let texts = null;
  const search = { hits: [], at: -1, from: 0 };
  function showHit(at) {
    const { hits } = search;
    search.at = hits.length ? (at + hits.length) % hits.length : -1;
    const hit = hits[search.at];
    count.textContent = hit ? `${search.at + 1} of ${hits.length}` : wanted.value.trim() ? "not found" : "";
    if (!hit) return;
    if (hit.list === "steps") go(hit.n);
    else if (now.picked?.list !== hit.list || now.picked.n !== hit.n) pick(hit.list, hit.n);
  }
  function find() {
    const words = wanted.value.trim().toLowerCase();
    texts ||= ["steps", "constraints", "text"].flatMap((list) => rows[list].map((row, n) =>
      ({ list, n, text: (row.textContent + "\n" + (list === "steps" ? steps[n].textContent : "")).toLowerCase() })));
    search.hits = words ? texts.filter((each) => each.text.includes(words)) : [];
    showHit(Math.max(0, search.hits.findIndex((hit) => hit.list !== "steps" || hit.n >= search.from)));
    if (!search.hits.length) go(search.from, true);
  }
  function searchBar(shown) {
    form.hidden = !shown;
    search.from = now.at;
    if (shown) { wanted.focus(); wanted.select(); } else focusPane(4);
  }
  const wanted = make("input", { type: "search", id: "wanted", placeholder: "search steps, constraints, query", autocomplete: "off", oninput: find,
    onkeydown: (event) => { if (event.key === "Enter") { event.preventDefault(); showHit(search.at + (event.shiftKey ? -1 : 1)); } } });
  wanted.setAttribute("aria-label", "Search the run");
  const count = make("output", { id: "hits" });
  const form = make("form", { id: "search", hidden: true, onsubmit: () => false }, wanted, count,
    button(["↑"], "hit before (Shift+Enter)", () => showHit(search.at - 1)), button(["↓"], "next hit (Enter)", () => showHit(search.at + 1)),
    button(["×"], "close (Esc)", () => searchBar(false)));

  // Keys: each with its name in the bar and what it does

  const KEYS = [
    ["g Home", "start", "before the first call", step(0)],
    ["N ArrowLeft", "back", "the call before", step(() => now.at - 1)],
    ["n ArrowRight", "next", "the next call", step(() => now.at + 1)],
    ["G End", "end", "the end", step(Infinity)],
    ["f", "first", "where the plan was lost", () => { if (now.run.first !== null) step(now.run.first)(); }],
    ["1 2 3 4 5", "", "go to a pane", (key) => focusPane(key)],
    ["ArrowUp ArrowDown", "", "move inside it", (key) => move(key === "ArrowUp" ? -1 : 1)],
    ["Escape", "", "deselect", () => { now.picked = null; light(); say("nothing selected"); }],
    ["/", "", "search; Enter goes to the next hit", () => searchBar(true)],
    ["o", "", "choose a run", () => chooser.focus()],
    ["x", "", "why the plan was lost", () => { const top = one("main .verdict"); top.setAttribute("tabindex", "-1"); top.focus(); say(top.textContent); }],
    ["V", "", "show or hide the plan as a picture", () => toggle("The plan")],
    ["t", "", "light or dark", theme],
    ["?", "", "all keys", () => help.showModal()],
  ];
  const toggle = (title) => {
    const fold = all(".step > details", stepBody).find((each) => each.firstChild.textContent === title);
    if (fold) { fold.open = !fold.open; fold.scrollIntoView({ block: "nearest" }); } else say("there is no picture");
  };
  const SHORT = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", Escape: "Esc" };
  const doing = new Map(KEYS.flatMap(([keys, , , does]) => keys.split(" ").map((key) => [key, does])));
  const help = make("dialog", { id: "help" }, make("h2", {}, "Keys"), make("dl", {}, ...KEYS.flatMap(([keys, , about]) =>
    [make("dt", {}, ...keys.split(" ").flatMap((key) => [make("kbd", {}, SHORT[key] || key), " "])), make("dd", {}, about)])),
    make("p", {}, "Click a word, a node, a constraint or a step: what belongs to it lights up in all panes. \
✓ holds, ○ open, ✗ violated, ● in the conflict (unsat core): these cannot all hold."),
    make("p", {}, "This page carries its session: planscope open takes it."),
    button(["close"], "close (?)", () => help.close()));
  const place = make("span", { id: "place" });
  const nav = make("nav", {}, ...KEYS.filter(([, shown]) => shown).map(([keys, shown, about, does]) =>
    Object.assign(button([make("kbd", {}, keys[0]), ` ${shown}`], `${about} (${keys.split(" ").map((key) => SHORT[key] || key).join(" or ")})`, does), { id: shown })));
  nav.children[1].after(place);
  nav.setAttribute("aria-label", "Steps");
  const said = make("p", { id: "said", className: "unseen" });
  said.setAttribute("role", "status");
  const chooser = make("select", { id: "run-list", onchange: () => open(Number(chooser.value)) },
    ...view.titles.map((title, n) => make("option", { value: n }, title)));
  header.insertBefore(make("label", { className: "chooser dim", hidden: view.titles.length < 2 }, "run ", chooser), themes);
  header.insertBefore(button(["/ search"], "search the run (/)", () => searchBar(true)), themes);
  header.append(button(["? keys"], "all keys (?)", () => help.showModal()));
  one("main").after(make("footer", {}, form, nav), said, help);
  document.body.classList.add("live");

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (help.open) { if (event.key === "?") help.close(); return; }
    if (event.target.closest("form")) { if (event.key === "Escape") searchBar(false); return; }
    if (event.target.closest("select, summary") && event.key !== "?" && !/^[1-5]$/.test(event.key)) return;
    const row = event.target.closest(".rows li");
    if (row && (event.key === "Enter" || event.key === " ")) { event.preventDefault(); row.click(); return; }
    const does = doing.get(event.key);
    if (does) { event.preventDefault(); does(event.key); }
  });
  document.addEventListener("click", (event) => {
    const row = event.target.closest(".rows li"), list = row && LISTS.find((each) => row.closest(`.rows.${each}`));
    if (list && canBePicked(row)) pick(list, rows[list].indexOf(row));
  });
  document.addEventListener("toggle", (event) => {
    if (event.target.closest(".step")) opened.set(event.target.firstChild.textContent, event.target.open);
  }, true);
  window.addEventListener("beforeprint", () => stepBody.replaceChildren(...steps));
  window.addEventListener("afterprint", () => go(now.at, true));
  open(view.show);
})();
