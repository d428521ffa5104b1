"use strict";
// Steps through the runs of the session in this page. Everything from the session is put on the page as text;
// nothing is fetched, stored or evaluated.
(() => {
  const byId = (id) => document.getElementById(id);
  const view = JSON.parse(byId("planscope-view").textContent);
  const FEW = 200; // lists of at most this many rows are drawn whole
  const CHUNK = 25; // rows that are drawn and removed together
  const PHRASES = [60, 300]; // pieces in a chunk of the text: from here it ends with a sentence, here at the latest
  const { statuses: WORDS, glyphs: STATES, states: STATE_WORDS, outcomes: OUTCOMES } = view.words;
  const PANES = { pieces: 1, nodes: 2, constraints: 3, steps: 4 };
  const KINDS = { d: ["done", "✓"], n: ["next", "→"], o: ["open", "○"], l: ["conflict", "✗"] };
  const now = { drawing: "tree", run: null, request: null, index: 0, picked: null, pane: 4 };
  let shown = {}; // the current step as rows show it: lit numbers by list, statuses, steps by action
  let lists = {}; // pieces, nodes, constraints, steps and actions

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
  const stateWord = (s) => s.word || STATE_WORDS[s.state];
  const plural = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;

  // The status of every constraint after a step, as letters.
  function statuses(index) {
    const found = [...now.run.begins];
    for (let i = 0; i <= index; i++) for (const [c, letter] of now.run.steps[i].changes) found[c] = letter;
    return found;
  }

  // A list that keeps only the rows near its window in the document. Rows are drawn and removed in chunks. A chunk that
  // is not drawn is an empty block: as high as it was, or as its weight suggests.
  class Rows {
    // `chunks`: first row, row after the last, weight. `draw(n)` makes the nodes of a row; the row is the last of them.
    // `paint(n, row)` makes a row look as it should at the current step.
    constructor(host, chunks, draw, paint) {
      Object.assign(this, { body: host.closest(".body"), draw, paint, drawn: new Map() });
      this.chunks = chunks.map(([from, to, weight]) => ({ from, to, weight, open: false,
        block: make("div", { class: "chunk", role: "none" }) }));
      this.count = chunks.length ? chunks[chunks.length - 1][1] : 0;
      host.replaceChildren(...this.chunks.map((chunk) => chunk.block));
      if (this.chunks.length) this.guess();
    }

    get whole() { return this.chunks.length < 2; }

    // Estimate the heights of chunks from one that is drawn.
    guess() {
      const known = this.chunks.find((chunk) => chunk.open) || this.chunks[0];
      this.open(known);
      if (this.whole) return;
      const each = known.block.getBoundingClientRect().height / known.weight;
      for (const chunk of this.chunks) if (!chunk.open) chunk.block.style.height = `${each * chunk.weight}px`;
    }

    open(chunk) {
      if (chunk.open) return;
      chunk.open = true;
      const nodes = [];
      for (let n = chunk.from; n < chunk.to; n++) {
        const drawn = this.draw(n);
        const row = drawn[drawn.length - 1];
        if (row instanceof Element) {
          if (!this.whole && row.hasAttribute("role")) {
            row.setAttribute("aria-setsize", this.count);
            row.setAttribute("aria-posinset", n + 1);
          }
          this.drawn.set(n, row);
          this.paint(n, row);
        }
        nodes.push(...drawn);
      }
      chunk.block.style.height = "";
      chunk.block.replaceChildren(...nodes);
    }

    close(chunk, height) {
      chunk.open = false;
      chunk.block.style.height = `${height}px`;
      chunk.block.replaceChildren();
      for (let n = chunk.from; n < chunk.to; n++) this.drawn.delete(n);
    }

    // A row; draws it if necessary.
    row(n) {
      if (!this.drawn.has(n)) {
        const chunk = this.chunks.find((one) => n < one.to);
        if (chunk) this.open(chunk);
      }
      return this.drawn.get(n);
    }

    repaint() { for (const [n, row] of this.drawn) this.paint(n, row); }

    // Draw what is at most a window's height away, and remove the rest. `kept`, or the top of the window, does not move.
    settle(kept) {
      const outer = this.body.getBoundingClientRect();
      if (this.whole || !outer.height) return;
      const [top, bottom] = [outer.top - outer.height, outer.bottom + outer.height];
      const box = (n) => this.chunks[n].block.getBoundingClientRect();
      const firstBelow = (edge) => {
        let [low, high] = [0, this.chunks.length - 1];
        while (low < high) {
          const middle = (low + high) >> 1;
          if (box(middle).bottom > edge) high = middle; else low = middle + 1;
        }
        return low;
      };
      const [from, to] = [firstBelow(top), firstBelow(bottom)];
      const anchor = kept || this.chunks[firstBelow(outer.top)].block;
      const before = anchor.getBoundingClientRect().top;
      const inReach = (n) => n >= from && n <= to;
      const wanted = this.chunks.filter((chunk, n) => inReach(n) && !chunk.open);
      const done = this.chunks.filter((chunk, n) => chunk.open && !inReach(n) && !chunk.block.contains(document.activeElement))
        .map((chunk) => [chunk, chunk.block.getBoundingClientRect().height]);
      if (!wanted.length && !done.length) return;
      for (const [chunk, height] of done) this.close(chunk, height);
      for (const chunk of wanted) this.open(chunk);
      const moved = anchor.getBoundingClientRect().top - before;
      if (moved) this.body.scrollTop += moved;
      rove();
    }
  }

  function evenChunks(count) {
    if (count <= FEW) return count ? [[0, count, count]] : [];
    const chunks = [];
    for (let from = 0; from < count; from += CHUNK) chunks.push([from, Math.min(from + CHUNK, count), Math.min(CHUNK, count - from)]);
    return chunks;
  }

  // Chunks of the text end with a sentence; their weight is their number of characters.
  function textChunks(pieces) {
    const chunks = [];
    let [from, weight] = [0, 0];
    pieces.forEach((piece, n) => {
      weight += piece.length;
      const size = n + 1 - from;
      const full = pieces.length > 3 * FEW && (size >= PHRASES[1] || (size >= PHRASES[0] && /[.\n]/.test(piece)));
      if (full || n + 1 === pieces.length) {
        chunks.push([from, n + 1, weight]);
        [from, weight] = [n + 1, 0];
      }
    });
    return chunks;
  }

  // Built once for a run

  function open(number) {
    now.run = view.runs[number];
    now.request = view.requests[now.run.request];
    now.picked = null;
    now.index = now.run.first === null ? now.run.steps.length - 1 : now.run.first;
    texts = null;
    byId("run").value = String(number);
    showVerdict();
    reckon();
    lists = { pieces: textRows(), nodes: treeRows(), constraints: constraintRows(), steps: timelineRows(), actions: actionRows() };
    byId("report").replaceChildren();
    go(now.index, true);
    settleAll();
  }

  function settleAll(body) { for (const list of Object.values(lists)) if (!body || list.body === body) list.settle(); }

  function showVerdict() {
    const run = now.run;
    const glyph = OUTCOMES[run.kind];
    const headline = byId("headline");
    headline.className = run.kind;
    headline.textContent = `${glyph} ${run.verdict}`;
    byId("where").textContent = [run.where, run.forked ? `forked from ${run.forked}` : ""].filter(Boolean).map((part) => `· ${part}`).join(" ");
    byId("why").textContent = [run.why, ...(run.notes || []), ...run.warnings.map((one) => `Warning: ${one}`)].join("\n");
    const found = now.request.found;
    byId("found").hidden = !found;
    byId("found").querySelector("p").textContent = found ? found.told.join(" ") : "";
    byId("cured").hidden = !(found && found.cured);
    byId("cured").querySelector("p").textContent = found ? found.cured : "";
    byId("repair").hidden = !run.repair.length;
    byId("repair").querySelector("pre").textContent = run.repair.join("\n");
  }

  function pickable(list, number, element) {
    element.setAttribute("tabindex", "-1");
    element.addEventListener("click", () => pick(list, number));
    element.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); pick(list, number); }
    });
    return element;
  }

  function mark(list, n, row) {
    const picked = now.picked ? now.picked.list === list && now.picked.number === n : list === "steps" && n === now.index;
    row.classList.toggle("lit", shown.lit[list].has(n));
    row.classList.toggle("picked", picked);
    if (row.hasAttribute("role")) row.setAttribute(row.getAttribute("role") === "button" ? "aria-pressed" : "aria-selected", String(picked));
  }

  const hasWords = (n) => /[\p{L}\p{N}]/u.test(now.request.pieces[n]);

  function textRows() {
    const { pieces, timed, origin, topic } = now.request;
    note(1, [origin, timed ? "timed" : "", topic].filter(Boolean).join(" · "));
    return new Rows(byId("text"), textChunks(pieces), (n) => {
      if (hasWords(n)) return [pickable("pieces", n, make("span", { role: "button" }, pieces[n]))];
      return [pieces[n].trim() ? span("mark-only", pieces[n]) : pieces[n]]; // a period lights up, but cannot be selected
    }, (n, row) => {
      mark("pieces", n, row);
      const found = now.request.found;
      row.classList.toggle("blamed", Boolean(found && found.pieces.includes(n)));
    });
  }

  function actionRows() {
    const { actions } = now.request;
    return new Rows(byId("actions"), evenChunks(actions.length), (n) => [make("div", { class: "line", role: "listitem" },
      span("id fixed", actions[n].id), span("grow", actions[n].name),
      actions[n].hours ? span("dim fixed", `${actions[n].hours} h`) : null, span("tail", ""))], (n, row) => {
      const done = shown.done.get(actions[n].id);
      const tail = row.lastChild;
      tail.textContent = done === undefined ? "○ to do" : `✓ step ${done}`;
      tail.className = `tail ${done === undefined ? "o" : "h"}`;
      row.classList.toggle("lit", actions[n].pieces.some((piece) => shown.lit.pieces.has(piece)));
    });
  }

  // The lines that lead from each node of the tree to its parent.
  function twigsOf(nodes) {
    const last = new Array(nodes.length).fill(true);
    const latest = []; // by depth: the latest node, if nothing above it came since
    nodes.forEach(({ depth }, n) => {
      if (latest[depth] !== undefined) last[latest[depth]] = false;
      latest.length = depth;
      latest[depth] = n;
    });
    const above = [];
    return nodes.map(({ depth }, n) => {
      above.length = depth;
      const twigs = above.slice(1).map((isLast) => (isLast ? "  " : "│ ")).join("");
      above.push(last[n]);
      return depth ? `${twigs}${last[n] ? "└ " : "├ "}` : "";
    });
  }

  function treeRows() {
    const { nodes, constraints } = now.request;
    const twigs = twigsOf(nodes);
    note(2, "");
    return new Rows(byId("tree"), evenChunks(nodes.length), (n) => {
      const { depth, label, says } = nodes[n];
      return [pickable("nodes", n, make("div", { class: "line", role: "treeitem", "aria-level": depth + 1 },
        make("span", { class: "grow" }, make("span", { class: "twig", "aria-hidden": "true" }, twigs[n]), label),
        span("tail", says.length === 1 ? constraints[says[0]].id : "")))];
    }, (n, row) => mark("nodes", n, row));
  }

  function constraintRows() {
    const { constraints } = now.request;
    const widest = Math.max(0, ...constraints.map((c) => c.id.length));
    const firstRule = constraints.findIndex((c) => c.rule);
    return new Rows(byId("constraints"), evenChunks(constraints.length), (n) => [pickable("constraints", n,
      make("div", { class: n === firstRule ? "line rules" : "line", role: "option" }, span("fixed status", ""),
        span("id fixed", constraints[n].id.padEnd(widest)), span("grow", constraints[n].words)))], (n, row) => {
      mark("constraints", n, row);
      const letter = shown.core.has(n) ? "k" : shown.statuses[n];
      row.firstChild.textContent = WORDS[letter].padEnd(10);
      row.firstChild.className = `fixed status ${letter}`;
    });
  }

  function timelineRows() {
    const { steps, ending } = now.run;
    note(4, plural(calls(), "call"));
    // As wide as it will ever be, so that the buttons beside it do not move.
    byId("place").style.setProperty("--widest", `${Math.max("before any call".length, placeOf(calls(), "step ").length)}ch`);
    byId("place").style.setProperty("--widest-short", `${Math.max("start".length, placeOf(calls(), "").length)}ch`);
    return new Rows(byId("timeline"), evenChunks(steps.length), (n) => {
      const s = steps[n];
      const problems = s.found.map((f) => f.type);
      if (s.lost) problems.unshift(view.words.lost);
      if (s.refused) problems.unshift("refused");
      if (s.mark) problems.unshift(s.mark);
      if (s.unanswered) problems.unshift("may not have been done");
      const call = s.step === "0" ? "before any call" : s.step === "end" ? ending : s.call;
      const edge = s.step === "0" || s.step === "end";
      const row = make("div", { class: edge ? "line edge" : "line", role: "option" },
        span("fixed dim", s.step.padStart(3)), span(`fixed ${s.state}`, STATES[s.state]),
        make("span", edge ? { class: "grow dim" } : { class: "grow call", title: call }, call),
        make("span", { class: "tail" },
          problems.length ? span(s.lost ? "lost" : "caution", problems.join(", ")) : null,
          s.hours ? span("dim hours", s.hours) : null,
          span(s.state, stateWord(s))));
      const attempt = s.attempt !== (n ? steps[n - 1].attempt : 1);
      return [...(attempt ? [make("div", { class: "attempt", role: "presentation" }, `attempt ${s.attempt}`)] : []),
        pickable("steps", n, row)];
    }, (n, row) => {
      mark("steps", n, row);
      row.classList.toggle("current", n === now.index);
      if (n === now.index) row.setAttribute("aria-current", "step"); else row.removeAttribute("aria-current");
    });
  }

  const calls = () => now.run.steps.length - 1 - (now.run.steps[now.run.steps.length - 1].step === "end" ? 1 : 0);
  const placeOf = (number, before) => (before ? `${before}${number} of ${calls()}` : `${number}/${calls()}`);

  // Scrolls the pane of a row, never the page, until the row is visible.
  function reveal(list, number) {
    const row = lists[list].row(number);
    if (!row) return;
    const { body } = lists[list];
    const [inner, outer] = [row.getBoundingClientRect(), body.getBoundingClientRect()];
    if (seen(inner, outer)) return;
    body.scrollTop += (inner.top + inner.bottom - outer.top - outer.bottom) / 2;
    lists[list].settle(row);
  }

  const seen = (inner, outer) => inner.top >= outer.top && inner.bottom <= outer.bottom;

  // Makes one of several rows visible; nothing moves if one is visible already.
  function revealOne(list, numbers) {
    const { body, drawn } = lists[list];
    const rows = numbers.map((n) => drawn.get(n)).filter(Boolean);
    const outer = rows.length ? body.getBoundingClientRect() : null;
    if (numbers.length && !rows.some((row) => seen(row.getBoundingClientRect(), outer))) reveal(list, numbers[0]);
  }

  // Changed by every step

  function go(index, quiet) {
    now.index = Math.max(0, Math.min(index, now.run.steps.length - 1));
    now.picked = null;
    refresh();
    const inLit = (numbers) => numbers.filter((n) => shown.lit.constraints.has(n));
    const [core, changed] = [inLit(step().core || []), inLit(step().changes.map(([c]) => c))];
    revealOne("constraints", core.length ? core : changed.length ? changed : [...shown.lit.constraints]);
    revealOne("pieces", [...shown.lit.pieces]);
    revealOne("nodes", [...shown.lit.nodes]);
    reveal("steps", now.index);
    rove();
    if (!quiet) say(`${stepName(step())}: ${stateWord(step())}. ${step().call}`);
  }

  function pick(list, number) {
    now.pane = PANES[list];
    if (list === "steps") { go(number); return; }
    const same = now.picked && now.picked.list === list && now.picked.number === number;
    now.picked = same ? null : { list, number };
    refresh();
    for (const other of Object.keys(PANES)) if (other !== list) revealOne(other, [...shown.lit[other]]);
    if (now.picked) reveal(list, number);
    rove();
    const { pieces, nodes, constraints, steps } = shown.lit;
    if (now.picked)
      say(`lit: ${plural(pieces.size, "phrase")}, ${plural(nodes.size, "node")}, ` +
        `${plural(constraints.size, "constraint")}, ${plural(steps.size, "step")}`);
  }

  // The numbers of pieces, nodes, constraints and steps linked to what is selected, or else to the current step.
  function belonging() {
    const of = now.run.lit;
    if (!now.picked) return [...of.steps[now.index], [now.index]];
    const { list, number } = now.picked;
    return [...now.request.lit[list][number], of[list][number]];
  }

  function reckon() {
    const [pieces, nodes, constraints, steps] = belonging().map((numbers) => new Set(numbers));
    const done = new Map();
    for (const s of now.run.steps.slice(0, now.index + 1))
      if (s.attempt === step().attempt && s.action && !done.has(s.action)) done.set(s.action, s.step);
    shown = { lit: { pieces, nodes, constraints, steps }, statuses: statuses(now.index), core: new Set(step().core || []), done };
  }

  // The plan as a picture, in the pane of the tree

  function svg(tag, attributes, ...children) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    for (const child of children.flat(Infinity)) if (child !== null) element.append(child);
    return element;
  }
  const drawings = () => ["tree", ...(now.run.order ? ["order", ...(now.request.timed ? ["hours"] : [])] : []), ...(now.run.lanes ? ["agents"] : [])];
  function linkedAction(n) { return now.request.actions[n].pieces.some((piece) => shown.lit.pieces.has(piece)); }
  function pickAction(n) {
    const piece = now.request.actions[n].pieces.find((one) => hasWords(one));
    if (piece !== undefined) pick("pieces", piece);
  }
  function thing(n, ...children) {
    const [kind, glyph] = KINDS[step().plan.kinds[n]];
    const group = svg("g", { class: `thing is-${kind}${linkedAction(n) ? " lit" : ""}` },
      svg("title", {}, `${now.request.actions[n].name}: ${kind}`), children);
    group.addEventListener("click", () => pickAction(n));
    return [group, glyph];
  }

  function orderDrawing() {
    const { size, boxes, lines } = now.run.order;
    const core = shown.core;
    const drawn = lines.map(([path, constraints, back]) => {
      const marks = [constraints.some((c) => core.has(c)) ? "core" : "", back ? "back" : "",
        constraints.some((c) => shown.lit.constraints.has(c)) ? "lit" : ""].join(" ");
      const line = svg("path", { class: `line-of ${marks}`, d: path }, svg("title", {}, constraints.map((c) => now.request.constraints[c].words).join("; ")));
      line.addEventListener("click", () => pick("constraints", constraints[0]));
      return line;
    });
    const placed = boxes.map(([n, label, x, y, width, height]) => {
      const [group, glyph] = thing(n, svg("rect", { x, y, width, height, rx: 5 }));
      group.append(svg("text", { x: x + 7, y: y + 17 }, `${glyph} ${label}`));
      return group;
    });
    return svg("svg", { width: size[0], height: size[1], viewBox: `0 0 ${size[0]} ${size[1]}`, role: "img", "aria-label": "Order of the actions" }, drawn, placed);
  }

  function hoursDrawing() {
    const [hour, row, left] = [14, 36, 8];
    const bars = step().plan.hours;
    const [width, height] = [left * 2 + 24 * hour, 20 + bars.length * row];
    const axis = [0, 3, 6, 9, 12, 15, 18, 21, 24].map((h) => [
      svg("path", { class: "axis", d: `M${left + h * hour} 16V${height}` }), svg("text", { class: "faint", x: left + h * hour - (h > 9 ? 7 : 3), y: 12 }, String(h))]);
    const drawn = bars.map(([n, done, open, safe], k) => {
      const y = 20 + k * row;
      const span = (hours, name, down, high) => hours
        ? svg("rect", { class: name, x: left + hours[0] * hour, y: y + down, width: (hours[1] - hours[0]) * hour, height: high }) : null;
      const [group, glyph] = thing(n, span(open, "window", 18, 12), span(safe, "window-safe", 18, 12), span(done, "ran", 20, 8));
      const when = done ? `${done[0]}:00-${done[1]}:00` : open ? `${open[0]} to ${open[1]}` : "no hours left";
      group.append(svg("text", { x: left, y: y + 13 }, `${glyph} ${now.request.actions[n].name.slice(0, 28)} · ${when}`));
      return group;
    });
    return svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Hours of the actions" }, axis, drawn);
  }

  function agentsDrawing() {
    const { axis, length, rows } = now.run.lanes;
    const [left, row, wide] = [8, 40, 330];
    const [width, height] = [wide + left * 2, 20 + rows.length * row];
    const ends = [svg("text", { class: "faint", x: left, y: 12 }, axis[0]), svg("text", { class: "faint", x: left + wide, y: 12, "text-anchor": "end" }, axis[1])];
    const drawn = rows.map(([name, calls], k) => {
      const y = 20 + k * row;
      const bars = calls.map(([index, first, last]) => {
        const size = Math.max(((last - first) / length) * wide - 1, 4);
        const kind = index === now.index ? "is-next" : now.run.steps[index] && now.run.steps[index].lost ? "is-conflict" : "";
        const group = svg("g", { class: `thing ${kind}` }, svg("title", {}, `step ${index}: ${name}`),
          svg("rect", { class: "ran", x: left + Math.min((first / length) * wide, wide - size), y: y + 18, width: size, height: 12 }));
        group.addEventListener("click", () => goAndFocus(index));
        return group;
      });
      return [svg("path", { class: "axis", d: `M${left} ${y + 24}H${left + wide}` }), svg("text", { x: left, y: y + 13 }, `${name.slice(0, 34)} · ${plural(calls.length, "call")}`), bars];
    });
    return svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Calls of each agent" }, ends, drawn);
  }

  function showDrawing() {
    if (!drawings().includes(now.drawing)) now.drawing = "tree";
    const tree = now.drawing === "tree";
    byId("tree").hidden = !tree;
    byId("drawing").hidden = tree;
    byId("name-2").lastChild.textContent = ` ${{ tree: "Tree", order: "Order", hours: "Hours", agents: "Agents" }[now.drawing]}`;
    byId("drawing").replaceChildren(...(tree ? [] : [{ order: orderDrawing, hours: hoursDrawing, agents: agentsDrawing }[now.drawing]()]));
  }

  function refresh() {
    reckon();
    showDrawing();
    for (const list of Object.values(lists)) list.repaint();
    showConstraint();
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

  // Below the list: the selected constraint in full, or the first of the core.
  function showConstraint() {
    note(3, step().step === "0" ? "before any call" : `after ${stepName(step())}`);
    const number = now.picked && now.picked.list === "constraints" ? now.picked.number : (step().core || [])[0];
    const c = number === undefined ? null : now.request.constraints[number];
    byId("words").textContent = !c ? "" : c.rule ? `${c.id}: ${c.words}, say the instructions.`
      : `${c.id} (${c.symbols}), in sentence ${c.sentence}: ${c.words}.`;
  }

  // Label, text and class of what a step says and does.
  function rows(s) {
    const told = [];
    const row = (label, text, name) => { if (text) told.push([label, text, name || ""]); };
    row("said", s.step === "end" ? now.run.said : "");
    for (const turn of s.user || []) row("user", turn);
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
    row(s.mark, s.mark ? "the tool answered with an error" : "", "caution");
    row("answer", s.unanswered ? "none: the run was cut short, so the call may or may not have been done" : s.answer, s.failed || s.unanswered ? "caution" : "");
    row("instead", s.replaced ? `${s.replaced} (the tool's own answer, edited by hand)` : "", "dim");
    for (const line of s.trouble || (s.step === "end" ? now.run.trouble : [])) row("trouble", line, "caution");
    row("kept", s.kept ? "from the run that this one was forked from" : "", "dim");
    return told;
  }

  // A value of JSON as elements that fold; a text of several lines folds too.
  function folded(name, value, open) {
    if (value === null || typeof value !== "object") {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      if (text.length < 100 && !text.includes("\n")) return make("div", { class: "leaf" }, span("dim", name), " ", text);
      return fold(name, `${text.length.toLocaleString("en")} characters`, open, make("div", { class: "whole" }, text));
    }
    const entries = Object.entries(value);
    const named = [value.name, value.role, value.type].find((one) => typeof one === "string");
    const inside = entries.map(([key, one]) => folded(Array.isArray(value) ? String(Number(key) + 1) : key, one, open && entries.length < 6));
    return fold(name, named || plural(entries.length, Array.isArray(value) ? "item" : "field"), open, inside);
  }
  function fold(name, about, open, ...inside) {
    const made = make("details", {}, make("summary", {}, name, " ", span("dim", about)), make("div", { class: "inside" }, inside));
    made.open = Boolean(open);
    return made;
  }
  function seenPart([name, text, kind]) {
    if (kind === "missing") return make("div", { class: "dim" }, `${name}: ${text}`);
    if (name === "tokens and time") return make("div", {}, text);
    let value = text;
    if (kind === "json") try { value = JSON.parse(text); } catch { value = text; }
    return folded(name, value, step().step === "0" && name !== "tools");
  }

  function meaning(s) {
    const told = [["state", `${STATES[s.state]} ${stateWord(s)}${s.lost ? `  ${view.words.lost} (${view.words.no_return})` : ""}`, s.state]];
    for (const f of s.found) told.push([f.error ? "✗ error" : "! warning", f.text.replace(/^(error|warning): /, ""), f.error ? "broken" : "caution"]);
    if (s.safe) told.push(["safe next", s.safe, "safe"]);
    if (s.state === "completable" && s.step !== "end")
      told.push(["left", `valid orders left: ${s.ways}`, "dim"]);
    return told;
  }

  function showDetail() {
    const s = step();
    byId("step-name").textContent = s.step === "0" ? "Before any call" : s.step === "end" ? "The end" : `Step ${s.step}`;
    note(5, `${STATES[s.state]} ${stateWord(s)}`);
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
      lines.push(make("dt", {}, view.words.conflict), make("dd", {}, `${view.words.conflict_means}:`, members, steps ? span("dim", `with ${steps}`) : null));
    }
    if (s.seen)
      lines.push(make("dt", { class: "gap" }, "model"), make("dd", { class: "seen gap" }, s.seen.map(seenPart)));
    byId("detail").replaceChildren(...lines);
  }

  // Moving

  const say = (text) => { byId("said").textContent = text; };
  const canBePicked = (list, n) => list !== "pieces" || hasWords(n);

  // Tab stops once in each list, as ARIA recommends (roving tabindex).
  function rove() {
    for (const list of Object.keys(PANES)) {
      const stop = tabStop(list);
      for (const [n, row] of lists[list].drawn) if (canBePicked(list, n)) row.setAttribute("tabindex", n === stop ? "0" : "-1");
    }
  }

  // The current step or the selected row; else the first lit row, or the first row, that is drawn.
  function tabStop(list) {
    if (list === "steps") return now.index;
    if (now.picked && now.picked.list === list) return now.picked.number;
    const numbers = [...lists[list].drawn.keys()].filter((n) => canBePicked(list, n)).sort((a, b) => a - b);
    const first = numbers.find((n) => shown.lit[list].has(n));
    return first === undefined ? numbers[0] : first;
  }

  const listOf = (pane) => Object.keys(PANES).find((list) => PANES[list] === pane);

  function focusPane(number) {
    now.pane = number;
    rove();
    const list = listOf(number);
    const element = list ? lists[list].row(tabStop(list)) : byId("pane-5").querySelector(".body");
    if (!list) element.setAttribute("tabindex", "-1");
    if (element) element.focus();
  }

  function move(by) {
    const list = listOf(now.pane);
    if (!list) { byId("pane-5").querySelector(".body").scrollBy(0, by * 40); return; }
    if (list === "steps") { goAndFocus(now.index + by); return; }
    let next = tabStop(list);
    if (now.picked && now.picked.list === list)
      do next += by; while (next >= 0 && next < lists[list].count && !canBePicked(list, next));
    if (next === undefined || next < 0 || next >= lists[list].count) return;
    pick(list, next);
    lists[list].row(next).focus({ preventScroll: true });
  }

  function goAndFocus(index) {
    go(index);
    if (document.activeElement && document.activeElement.closest("#timeline")) lists.steps.row(now.index).focus({ preventScroll: true });
  }

  // Search: steps first, then constraints, then the text of the query

  let texts = null; // in lower case; made by the first search in a run

  function textsOf() {
    const small = (parts) => parts.join("\n").toLowerCase();
    return texts || (texts = {
      steps: now.run.steps.map((s) => small([...rows(s).map(([, text]) => text), ...s.found.map((f) => f.text)])),
      constraints: now.request.constraints.map((c) => small([c.id, c.words, c.symbols])),
      pieces: small([now.request.pieces.join("")]),
    });
  }

  function hitsOf(words) {
    const wanted = words.trim().toLowerCase();
    if (!wanted) return [];
    const { steps, constraints, pieces } = textsOf();
    const hits = [];
    for (const [list, all] of [["steps", steps], ["constraints", constraints]])
      all.forEach((text, number) => { if (text.includes(wanted)) hits.push({ list, number }); });
    let [end, number] = [0, -1];
    for (let at = pieces.indexOf(wanted); at >= 0; at = pieces.indexOf(wanted, Math.max(end, at + 1))) {
      while (end <= at) end += now.request.pieces[++number].length;
      let first = number;
      while (first < now.request.pieces.length && !hasWords(first)) first++;
      if (first < now.request.pieces.length) hits.push({ list: "pieces", number: first });
    }
    return hits;
  }

  const found = { hits: [], at: -1, from: 0 }; // `from`: the step at which the search was opened

  function showHit(at) {
    const { hits } = found;
    found.at = hits.length ? (at + hits.length) % hits.length : -1;
    const hit = hits[found.at];
    byId("hits").textContent = hit ? `${found.at + 1} of ${hits.length}` : byId("wanted").value.trim() ? "not found" : "";
    if (!hit) return;
    if (hit.list === "steps") go(hit.number);
    else if (!now.picked || now.picked.list !== hit.list || now.picked.number !== hit.number) pick(hit.list, hit.number);
  }

  // While the user types: go to the first hit after `from`, or back to it.
  function search() {
    found.hits = hitsOf(byId("wanted").value);
    showHit(Math.max(0, found.hits.findIndex((hit) => hit.list !== "steps" || hit.number >= found.from)));
    if (!found.hits.length) go(found.from, true);
  }

  function searchBar(open) {
    byId("search").hidden = !open;
    found.from = now.index;
    if (open) { byId("wanted").focus(); byId("wanted").select(); } else focusPane(now.pane);
  }

  const doing = {
    start: () => goAndFocus(0),
    back: () => goAndFocus(now.index - 1),
    next: () => goAndFocus(now.index + 1),
    end: () => goAndFocus(now.run.steps.length - 1),
    first: () => { if (now.run.first !== null) goAndFocus(now.run.first); },
    deselect: () => { now.picked = null; refresh(); rove(); say("nothing selected"); },
    search: () => searchBar(true),
    explain: () => { byId("verdict").focus(); byId("verdict").scrollIntoView({ block: "nearest" }); say(now.run.why || now.run.verdict); },
    runs: () => byId("run").focus(),
    draw: () => {
      const all = drawings();
      now.drawing = all[(all.indexOf(now.drawing) + 1) % all.length];
      showDrawing();
      if (now.drawing === "tree") { lists.nodes.guess(); settleAll(); }
      say(all.length > 1 ? `pane 2 shows ${now.drawing}` : now.run.undrawn || "there is no plan to draw");
    },
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
    t: doing.theme, V: doing.draw, "?": doing.help, "/": doing.search, ArrowUp: () => move(-1), ArrowDown: () => move(1),
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (byId("help").open) { if (event.key === "?") byId("help").close(); return; }
    if (event.target.closest("#search")) { if (event.key === "Escape") searchBar(false); return; }
    if (event.target.closest("select, summary") && event.key !== "?" && !/^[1-5]$/.test(event.key)) return;
    const action = /^[1-5]$/.test(event.key) ? () => focusPane(Number(event.key)) : KEYS[event.key];
    if (action) { event.preventDefault(); action(); }
  });
  for (const button of document.querySelectorAll("[data-do]"))
    button.addEventListener("click", () => doing[button.dataset.do]());
  byId("theme").addEventListener("click", doing.theme);
  byId("keys").addEventListener("click", doing.help);
  byId("draw").addEventListener("click", doing.draw);
  byId("find").addEventListener("click", doing.search);
  byId("wanted").addEventListener("input", search);
  byId("wanted").addEventListener("keydown", (event) => {
    if (event.key === "Enter") { event.preventDefault(); showHit(found.at + (event.shiftKey ? -1 : 1)); }
  });
  byId("before").addEventListener("click", () => showHit(found.at - 1));
  byId("after").addEventListener("click", () => showHit(found.at + 1));
  byId("done").addEventListener("click", () => searchBar(false));
  byId("run").addEventListener("change", (event) => { open(Number(event.target.value)); });
  for (const body of document.querySelectorAll(".body"))
    body.addEventListener("scroll", () => settleAll(body));
  window.addEventListener("resize", () => {
    for (const list of Object.values(lists)) if (list.count) list.guess();
    settleAll();
  });

  // Printing: the whole run

  function report() {
    const run = now.run;
    const all = statuses(run.steps.length - 1);
    const core = new Set(run.steps[run.steps.length - 1].core || []);
    const list = (pairs) => make("dl", {}, pairs.map(([label, text]) => [make("dt", {}, label), make("dd", {}, text)]));
    byId("report").replaceChildren(
      make("h1", {}, view.title), make("p", {}, view.titles[view.runs.indexOf(run)]),
      make("p", {}, view.notes),
      make("h2", {}, byId("headline").textContent), make("p", {}, run.why),
      make("h2", {}, "Query"), make("p", {}, now.request.pieces.join("")),
      list(now.request.actions.map((a) => [a.id, a.hours ? `${a.name} (${a.hours} h)` : a.name])),
      make("h2", {}, "Constraints at the end"),
      make("table", {}, make("tbody", {}, now.request.constraints.map((c, n) => make("tr", {},
        make("td", {}, WORDS[core.has(n) ? "k" : all[n]]), make("td", {}, c.id), make("td", {}, c.words))))),
      make("h2", {}, "Steps"),
      ...run.steps.map((s) => make("section", {},
        make("h3", {}, `${stepName(s)}${s.attempt > 1 ? ` (attempt ${s.attempt})` : ""}`),
        list([...rows(s), ...meaning(s)]))),
      ...(run.repair.length ? [make("h2", {}, view.words.repair || "A correct plan"), make("pre", {}, run.repair.join("\n"))] : []));
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
})();
