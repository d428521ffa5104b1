"use strict";
const most = 200, every = JSON.parse(document.getElementById("rows").textContent);
for (const table of document.querySelectorAll("table[data-rows]")) {
  const rows = every[+table.dataset.rows], words = rows.map((row) => row.join(" ").toLowerCase());
  const field = document.getElementById("search-" + table.dataset.rows);
  const count = document.getElementById("count-" + table.dataset.rows);
  const draw = () => {
    const wanted = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = rows.filter((_, k) => wanted.every((word) => words[k].includes(word)));
    table.tBodies[0].replaceChildren(...found.slice(0, most).map((cells) => {
      const row = document.createElement("tr");
      for (const cell of cells) row.insertCell().textContent = cell;
      return row;
    }));
    const shown = found.length > most ? ", the first " + most + " are shown" : "";
    count.textContent = found.length + " of " + rows.length + shown;
  };
  field.addEventListener("input", draw);
  draw();
}
