// Strength and sign of edges, and the probability table of the chosen variable.
const STRENGTH = "Strength: Cramér's V, from 0 (independent) to 1 (each determines the other), of the two columns alone. " +
  "Sign, if both have an order: + if high states go with high states, − if high states go with low ones (Kendall's tau-b).";
const SIGNS = new Map([[1, " +"], [-1, " −"]]);
const signOf = (k) => (pairs.g ? pairs.g[k] : null);
const strengthFigure = (k) => (!pairs.s || pairs.s[k] === null ? "" : pairs.s[k].toFixed(2) + (SIGNS.get(signOf(k)) || ""));
function strengthText(k) {
  if (!strengthFigure(k)) return "";
  const words = { 1: ", +: high states go with high states", "-1": ", −: high states go with low states", 0: ", without a clear sign" };
  return `Strength ${pairs.s[k].toFixed(2)}${words[signOf(k)] ?? ""}`;
}

const FIRST_ROWS = 12;
let rowsOpen = false; // whether all rows of the table are shown
const stateName = (v, c) => (data.states[v] || [])[c] ?? `state ${c + 1}`;
function probabilities() {
  const box = byId("probabilities");
  const v = state.chosen;
  box.hidden = v === null || !data.tables;
  if (box.dataset.variable !== String(v)) rowsOpen = false;
  box.dataset.variable = String(v);
  if (box.hidden) return box.replaceChildren();
  const title = html("h3", {}, "Probability table of ", html("span", { class: "name", text: names[v] }));
  if (!data.tables[v]) return box.replaceChildren(title, html("p", { class: "quiet", text: "This page has no room for it; network.bif has all tables." }));
  const [parents, kept, moreRows, moreStates, cells] = data.tables[v];
  const width = parents.length + 1 + kept;
  const rows = Array.from({ length: cells.length / width }, (_, at) => cells.slice(at * width, (at + 1) * width));
  const head = html("tr", {}, ...parents.map((u) => html("th", { scope: "col" }, nameButton(u))),
    html("th", { scope: "col", class: "number", text: "rows", title: "Rows of the data with these states of the parents" }),
    ...Array.from({ length: kept }, (_, c) => html("th", { scope: "col", class: "name", text: `P(${stateName(v, c)})` })));
  const body = rows.slice(0, rowsOpen ? rows.length : FIRST_ROWS).map((row) => html("tr", {},
    ...parents.map((u, i) => html("th", { scope: "row", class: "name", text: stateName(u, row[i]) })),
    html("td", { class: "number", text: row[parents.length].toLocaleString("en") }),
    ...row.slice(parents.length + 1).map(share)));
  box.replaceChildren(title, html("div", { class: "scroll" }, html("table", {}, html("thead", {}, head), html("tbody", {}, ...body))),
    ...folded(rows.length), html("p", { class: "quiet", text: leftOut(moreRows, moreStates) + data.note }));
}
function share(thousandths) {
  const cell = html("td", { class: "number share", text: (thousandths / 1000).toFixed(3) });
  cell.style.setProperty("--share", thousandths / 1000);
  return cell;
}
// A button for the rows that are folded.
function folded(rows) {
  if (rows <= FIRST_ROWS) return [];
  const text = rowsOpen ? "Show fewer rows" : `Show ${count(rows - FIRST_ROWS, "more row")}`;
  return [html("p", {}, html("button", { type: "button", id: "more-rows", text, onclick: () => { rowsOpen = !rowsOpen; probabilities(); } }))];
}
function leftOut(rows, states) {
  const many = rows >= 1e9 ? "Very many more" : `${rows.toLocaleString("en")} more`;
  return (rows ? `${many} combinations of states, with the fewest rows of the data, are not shown. ` : "") +
    (states ? `${count(states, "more state")} ${states === 1 ? "is" : "are"} not shown. ` : "");
}
