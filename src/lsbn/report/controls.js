// Tables, search, pointer, keys and files. The last part of the script of the page.
// -- table of edges ----------------------------------------------------------------------------
const columns = [
  { title: "From", key: (k) => names[pairs.a[k]], text: true },
  { title: "To", key: (k) => names[pairs.b[k]], text: true },
  { title: "Edge", key: (k) => total[k], hint: "Probability of an edge in either direction" },
  { title: "This direction", key: (k) => pairs.f[k], hint: "Probability of the edge in this direction" },
  { title: "Opposite", key: (k) => pairs.r[k], hint: "Probability of the edge in the opposite direction" },
];
if (pairs.s) columns.push({ title: "Strength", key: (k) => pairs.s[k] ?? -1, hint: STRENGTH });
if (hasTruth) columns.push({ title: "Truth", key: status, text: true, hint: "hit: learned and true; miss: true, not learned; error: learned, not true" });
const sorting = { column: 2, down: true };
let rowsWanted = PAGE;
const collator = new Intl.Collator("en", { numeric: true });
const heads = columns.map((column, c) => html("th", { scope: "col", class: column.text ? "" : "number", title: column.hint },
  html("button", { type: "button", text: column.title, onclick: () => {
    if (sorting.column === c) sorting.down = !sorting.down;
    else Object.assign(sorting, { column: c, down: !column.text });
    rowsWanted = PAGE;
    table();
  } })));
byId("edge-table").tHead.append(html("tr", {}, ...heads));

function row(k) {
  const select = (event) => { if (!event.target.closest(".plain:not(.edge)")) choosePair(k, true); };
  const cells = [
    html("td", {}, nameButton(pairs.a[k])),
    html("td", {}, directed(k) || !total[k] ? "→ " : "– ", nameButton(pairs.b[k])),
    html("td", { class: "number" }, meter(total[k]), html("button", { type: "button", class: "plain edge", title: "Select this edge", text: format(total[k]) })),
    html("td", { class: "number", "data-label": "→", text: format(pairs.f[k]) }),
    html("td", { class: "number", "data-label": "←", text: format(pairs.r[k]) }),
  ];
  if (pairs.s) cells.push(html("td", { class: "number", "data-label": "strength", title: strengthText(k), text: strengthFigure(k) }));
  if (!total[k] && isTrue(k)) cells[1].firstChild.data = pairs.t[k] === 1 ? "→ " : pairs.t[k] === 2 ? "← " : "– ";
  if (hasTruth) cells.push(html("td", { class: status(k), text: status(k), title: isTrue(k) ? truthText(k) : "" }));
  return html("tr", { class: k === state.pair ? "chosen" : "", "data-pair": k, onclick: select }, ...cells);
}
function meter(p) {
  const inside = html("i", {});
  inside.style.width = `${100 * p}%`;
  return html("span", { class: "meter", "aria-hidden": "true" }, inside);
}
function table() {
  const words = byId("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = byId("status").value;
  const above = byId("above").checked;
  const rows = [];
  for (let k = 0; k < m; k++) {
    if (above && !visible(k) && !(hasTruth && isTrue(k))) continue;
    if (wanted && status(k) !== wanted) continue;
    const text = `${names[pairs.a[k]]} ${names[pairs.b[k]]}`.toLowerCase();
    if (words.every((word) => text.includes(word))) rows.push(k);
  }
  const { key, text } = columns[sorting.column];
  const sign = sorting.down ? -1 : 1;
  rows.sort((k, o) => sign * (text ? collator.compare(key(k), key(o)) : key(k) - key(o)) || k - o);
  heads.forEach((head, c) => {
    if (c === sorting.column) head.setAttribute("aria-sort", sorting.down ? "descending" : "ascending");
    else head.removeAttribute("aria-sort");
  });
  byId("edge-table").tBodies[0].replaceChildren(...rows.slice(0, rowsWanted).map(row));
  byId("rows-shown").textContent = rows.length > rowsWanted
    ? `${rowsWanted.toLocaleString("en")} of ${count(rows.length, "pair")}` : count(rows.length, "pair");
  byId("more").hidden = rows.length <= rowsWanted;
}
addEventListener("beforeprint", () => { rowsWanted = Math.max(rowsWanted, 40 * PAGE); table(); });
byId("more").addEventListener("click", () => { rowsWanted += 10 * PAGE; table(); });
for (const id of ["filter", "above", "status"]) byId(id).addEventListener("input", () => { rowsWanted = PAGE; table(); });

// -- communities -------------------------------------------------------------------------------
const several = communities.map((_, k) => k).filter((k) => communities[k].length > 1);
let communitiesWanted = 24;
function communityList() {
  byId("communities").hidden = !communities.length;
  const alone = communities.length - several.length;
  const overlapping = belongs.filter((list) => list.length > 1).length;
  byId("communities-note").textContent = `${count(several.length, "group")} of variables that belong together` +
    (overlapping ? `; ${count(overlapping, "variable")} in several groups. The colour of a variable is that of the group with most of its edges.` : ".") +
    (alone ? ` ${count(alone, "group")} of one variable ${alone === 1 ? "is" : "are"} not listed.` : "");
  byId("community-list").replaceChildren(...several.slice(0, communitiesWanted).map((k) => {
    const own = communities[k];
    const text = own.slice(0, 40).map((v) => shortened(names[v], 40)).join(", ") + (own.length > 40 ? ", …" : "");
    return html("li", { class: colourClass(k) },
      html("div", { class: "head" }, html("span", { class: "dot" }),
        html("button", { type: "button", class: "plain", text: `Community ${k + 1}`, onclick: () => chooseCommunity(k, true) }),
        html("span", { class: "figure", text: `${count(own.length, "variable")}, ${count(inner(k), "edge")}` })),
      html("div", { class: "members name", text }));
  }));
  byId("more-communities").hidden = several.length <= communitiesWanted;
  byId("more-communities").textContent = `Show all ${several.length.toLocaleString("en")}`;
}
byId("more-communities").addEventListener("click", () => { communitiesWanted = several.length; communityList(); });

// -- search ------------------------------------------------------------------------------------
const search = byId("search");
const asked = { found: [], at: -1 }; // Enter goes from one found variable to the next
function matches(text) {
  const low = text.toLowerCase();
  const at = names.map((name) => name.toLowerCase().indexOf(low));
  const found = at.map((_, v) => v).filter((v) => at[v] >= 0);
  return found.sort((u, v) => (at[u] > 0) - (at[v] > 0) || u - v);
}
function tell(text) {
  byId("found").hidden = !text;
  byId("found").textContent = text;
}
search.addEventListener("input", () => {
  const text = search.value.trim();
  Object.assign(asked, { found: text ? matches(text) : [], at: -1 });
  byId("matches").replaceChildren(...asked.found.slice(0, 12).map((v) => html("option", { value: names[v] })));
  tell(text && !asked.found.length ? "No variable found" : "");
  const exact = names.indexOf(search.value);
  if (exact >= 0) find(exact);
});
search.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !asked.found.length) return;
  event.preventDefault();
  asked.at = (asked.at + 1) % asked.found.length;
  tell(asked.found.length > 1 ? `${asked.at + 1} of ${asked.found.length.toLocaleString("en")} found; Enter shows the next` : "");
  find(asked.found[asked.at]);
});

// -- pointer and keys --------------------------------------------------------------------------
const markAt = (target) => {
  const node = target.closest && target.closest(".node");
  return node ? Number(node.dataset.mark) : null;
};
let drag = null;
stage.addEventListener("pointerover", (event) => {
  if (drag || event.pointerType === "touch") return;
  const mark = markAt(event.target);
  if (mark !== state.hover) { state.hover = mark; paint(); }
});
stage.addEventListener("pointerleave", () => { if (state.hover !== null) { state.hover = null; paint(); } });
stage.addEventListener("pointerdown", (event) => {
  if (event.button === 0 && event.isPrimary) drag = { x: event.clientX, y: event.clientY, moved: false, mark: markAt(event.target) };
});
stage.addEventListener("pointermove", (event) => {
  if (!drag) return;
  const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
  if (!drag.moved && Math.hypot(dx, dy) < 4) return;
  if (!drag.moved) { stage.setPointerCapture(event.pointerId); stage.classList.add("moving"); }
  Object.assign(drag, { x: event.clientX, y: event.clientY, moved: true });
  if (drag.mark !== null) move(marks[drag.mark], dx / camera.k, dy / camera.k);
  else { camera.x += dx; camera.y += dy; camera.moved = true; }
  look();
});
const drop = () => { stage.classList.remove("moving"); setTimeout(() => { drag = null; }, 0); };
stage.addEventListener("pointerup", drop);
stage.addEventListener("pointercancel", drop);
stage.addEventListener("click", (event) => {
  if (drag && drag.moved) return;
  const mark = markAt(event.target);
  const link = event.target.closest(".link[data-pair]");
  if (mark === null && link) choosePair(Number(link.dataset.pair));
  else if (mark === null) choose(null);
  else if (marks[mark].area) chooseCommunity(marks[mark].id);
  else choose(marks[mark].id === state.chosen ? null : marks[mark].id);
});
stage.addEventListener("wheel", (event) => {
  if (!event.ctrlKey && !event.metaKey && document.activeElement !== stage) return;
  event.preventDefault();
  const box = stage.getBoundingClientRect();
  zoom(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0016)), event.clientX - box.left, event.clientY - box.top);
}, { passive: false });
// Two fingers zoom and move the picture; one finger drags it sideways, or scrolls the page.
let pinch = null;
function fingers(event) {
  const [p, q] = event.touches;
  const box = stage.getBoundingClientRect();
  return { x: (p.clientX + q.clientX) / 2 - box.left, y: (p.clientY + q.clientY) / 2 - box.top, apart: Math.hypot(p.clientX - q.clientX, p.clientY - q.clientY) || 1 };
}
stage.addEventListener("touchstart", (event) => {
  if (event.touches.length !== 2) return;
  event.preventDefault();
  drop();
  drag = null;
  pinch = fingers(event);
}, { passive: false });
stage.addEventListener("touchmove", (event) => {
  if (!pinch || event.touches.length !== 2) return;
  event.preventDefault();
  const now = fingers(event);
  camera.x += now.x - pinch.x;
  camera.y += now.y - pinch.y;
  zoom(now.apart / pinch.apart, now.x, now.y);
  pinch = now;
}, { passive: false });
for (const kind of ["touchend", "touchcancel"]) stage.addEventListener(kind, (event) => { if (event.touches.length < 2) pinch = null; });
for (const button of document.querySelectorAll("[data-zoom]"))
  button.addEventListener("click", () => zoomHere(Number(button.dataset.zoom)));
const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
function step([dx, dy]) {
  const now = selected();
  let best = null;
  let least = Infinity;
  for (const mark of marks) {
    if (mark === now || mark.hidden || (mark.area && opened.has(mark.id))) continue;
    const [x, y] = now ? [mark.x - now.x, mark.y - now.y] : [mark.x - marks[0].x, mark.y - marks[0].y];
    const along = x * dx + y * dy;
    if (now && along <= 0) continue;
    const cost = now ? Math.hypot(x, y) * (1 + 2 * Math.abs(x * dy - y * dx) / Math.hypot(x, y)) : -mark.weight;
    if (cost < least) [best, least] = [mark, cost];
  }
  if (best && best.area) select({ community: best.id });
  else if (best) choose(best.id, true);
}
stage.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (WAYS[event.key]) step(WAYS[event.key]);
  else if (event.key === "+" || event.key === "=") zoomHere(1.25);
  else if (event.key === "-") zoomHere(0.8);
  else if (event.key === "0") fit();
  else if (event.key === "Enter" && asCommunities && state.community !== null) chooseCommunity(state.community);
  else return;
  event.preventDefault();
});
document.addEventListener("keydown", (event) => { if (event.key === "Escape") choose(null); });
byId("theme").addEventListener("click", () => {
  const dark = getComputedStyle(document.documentElement).colorScheme.includes("dark");
  document.documentElement.dataset.theme = dark ? "light" : "dark";
});

// -- the picture as a file: a copy with its style written out, because a file has no style sheet
const STYLE = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "opacity", "vector-effect", "paint-order", "text-anchor", "font-family"];
function pictureText() {
  const copy = stage.cloneNode(true);
  const originals = stage.querySelectorAll("*");
  copy.querySelectorAll("*").forEach((node, k) => {
    const style = getComputedStyle(originals[k]);
    node.hiddenInPage = style.display === "none" || node.classList.contains("grip");
    for (const key of STYLE) if (!["g", "title"].includes(node.tagName) || key === "opacity") node.setAttribute(key, style.getPropertyValue(key));
    for (const key of ["class", "style", "data-mark", "data-pair"]) node.removeAttribute(key);
  });
  for (const node of [...copy.querySelectorAll("*")]) if (node.hiddenInPage) node.remove();
  for (const { name } of [...copy.attributes]) if (name !== "viewBox") copy.removeAttribute(name);
  fill(copy, { xmlns: SVG, width: camera.w, height: camera.h });
  const paper = svg("rect", { width: camera.w, height: camera.h, fill: getComputedStyle(document.querySelector(".network")).backgroundColor });
  copy.prepend(paper);
  return new XMLSerializer().serializeToString(copy).replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Cs}/gu, "\ufffd");
}
function save(blob, name) {
  const link = html("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
function saveAs(kind) {
  const text = pictureText();
  if (kind === "svg") return save(new Blob([text], { type: "image/svg+xml" }), "network.svg");
  const image = new Image();
  image.onload = () => {
    const scale = 2;
    const canvas = fill(document.createElement("canvas"), { width: scale * camera.w, height: scale * camera.h });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => save(blob, "network.png"), "image/png");
  };
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(text);
}
for (const button of document.querySelectorAll("[data-save]")) button.addEventListener("click", () => saveAs(button.dataset.save));

// -- legend ------------------------------------------------------------------------------------
function sample(cls, arrow) {
  const link = svg("g", { class: `link ${cls}`, "stroke-width": 1.8 }, svg("line", { x1: 0, y1: 5, x2: arrow ? 26 : 34, y2: 5 }));
  if (arrow) link.append(svg("path", { class: "tip", d: "M34 5L25 1.2L25 8.8Z" }));
  return svg("svg", { viewBox: "0 0 34 10", "aria-hidden": "true", class: "truth" }, link);
}
const legend = byId("legend");
legend.append(html("span", {}, sample("", true), "thicker line: more probable edge"),
  html("span", {}, sample("", false), "no arrowhead: no clear direction (neither is 3 times as probable as the other)"));
if (hasTruth) legend.append(html("span", {}, sample("hit", false), "hit"),
  html("span", {}, sample("miss", false), "miss: true, not learned"), html("span", {}, sample("error", false), "error: learned, not true"));
if (several.length > 1) legend.append(html("span", { text: "colour: community" }));
byId("picture-note").textContent = picture.note;
for (const id of ["truth-control", "status-control", "score"]) byId(id).hidden = !hasTruth;

resize();
update();
stretch();
addEventListener("resize", stretch);
new ResizeObserver(resize).observe(stage);
