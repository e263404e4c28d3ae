// What is selected, what the panel says about it, and the threshold.
// -- focus -------------------------------------------------------------------------------------
const focusMark = () => {
  if (state.hover !== null) return state.hover;
  return state.chosen === null ? null : markOf(state.chosen) ?? null;
};
const pairMarks = (k) => [markOf(pairs.a[k]), markOf(pairs.b[k])].filter((mark) => mark !== undefined);
function nearMarks() {
  const mark = focusMark();
  if (state.hover === null && state.pair !== null) return new Set(pairMarks(state.pair));
  if (state.hover === null && state.community !== null) {
    const area = asCommunities && place.has(state.community) ? [place.get(state.community)] : [];
    return new Set([...area, ...(asCommunities ? members : communities)[state.community].map(markOf)].filter((k) => k !== undefined));
  }
  if (mark === null) return null;
  if (state.hover === null && state.blanket) return new Set([state.chosen, ...blanket(state.chosen).keys()].map(markOf).filter((k) => k !== undefined));
  const near = new Set([mark]);
  for (const [key, link] of drawn) {
    if (link.style.display === "none") continue;
    const [from, to] = linkEnds(key);
    if (from === mark) near.add(to);
    if (to === mark) near.add(from);
  }
  return near;
}
const linkEnds = (key) => (asCommunities ? key.split("-").map(Number) : [markOf(pairs.a[key]), markOf(pairs.b[key])]);
function paint() {
  const near = nearMarks();
  const mark = focusMark();
  const inside = state.hover === null && (state.community !== null || state.pair !== null || state.blanket);
  stage.classList.toggle("focus", near !== null);
  marks.forEach((one, k) => {
    one.node.classList.toggle("near", near !== null && near.has(k));
    one.node.classList.toggle("chosen", state.chosen !== null && markOf(state.chosen) === k);
  });
  for (const [key, link] of drawn) {
    const [from, to] = linkEnds(key);
    const lit = near !== null && (inside ? near.has(from) && near.has(to) : from === mark || to === mark);
    link.classList.toggle("near", lit);
  }
  look();
}
function select(what) {
  Object.assign(state, { chosen: null, community: null, pair: null, blanket: false, hover: null }, what);
  paint();
  detail();
  probabilities();
  for (const one of byId("edge-table").tBodies[0].rows) one.classList.toggle("chosen", Number(one.dataset.pair) === state.pair);
}
function scrollToPicture() {
  const box = stage.getBoundingClientRect();
  if (box.bottom < 80 || box.top > innerHeight - 80) stage.scrollIntoView({ block: "center" });
}
function choose(v, scroll) {
  if (v !== null) openArea(home[v]);
  select({ chosen: v });
  if (v === null || !scroll) return;
  const mark = selected();
  if (mark && camera.k * mark.r < 2) return reveal();
  if (mark && !inView(spot(mark))) { centre(mark); look(); }
  scrollToPicture();
}
// A click on a closed area opens it.
function chooseCommunity(k, scroll) {
  openArea(k);
  select({ community: k });
  if (opened.has(k)) frame([marks[place.get(k)]], Infinity);
  if (scroll) scrollToPicture();
}
function choosePair(k, scroll) {
  openArea(home[pairs.a[k]]);
  openArea(home[pairs.b[k]]);
  select({ pair: k });
  const both = pairMarks(k).map((mark) => marks[mark]);
  const scale = Math.min(1, ...both.map((mark) => mark.scale));
  if (scroll && !both.every((mark) => inView(spot(mark)) && camera.k * mark.r >= 2)) frame(both, 2.2 / scale);
  if (scroll) scrollToPicture();
}
function find(v) {
  choose(v, true);
  reveal();
}
// Zoom to the chosen variable and its neighbours; inside an area, to those of the area.
function reveal() {
  const mark = selected();
  if (mark) frame([...nearMarks()].map((k) => marks[k]).filter((other) => other.scale === mark.scale), 2.2 / mark.scale);
  scrollToPicture();
}

// -- what is said about the chosen variable or community ---------------------------------------
const panel = byId("detail");
const chip = (k) => html("button", { type: "button", class: `chip ${colourClass(k)}`, onclick: () => chooseCommunity(k) },
  html("span", { class: "dot" }), `Community ${k + 1}`);
function neighbours(v) {
  const lists = { parents: [], children: [], open: [] };
  for (const k of incident[v]) {
    if (total[k] < data.floor) continue;
    const out = pairs.a[k] === v;
    const item = { k, other: out ? pairs.b[k] : pairs.a[k], into: out ? pairs.r[k] : pairs.f[k], from: out ? pairs.f[k] : pairs.r[k] };
    lists[directed(k) ? (out ? "children" : "parents") : "open"].push(item);
  }
  lists.parents.sort((x, y) => y.into - x.into);
  lists.children.sort((x, y) => y.from - x.from);
  lists.open.sort((x, y) => total[y.k] - total[x.k]);
  return lists;
}
// The members of the Markov blanket and their roles, by the edges above the threshold.
function blanket(v) {
  const roles = new Map();
  const { parents, children, open } = neighbours(v);
  for (const [items, role] of [[parents, "parent"], [children, "child"], [open, "no clear direction"]])
    for (const { k, other } of items) if (visible(k)) roles.set(other, role);
  for (const { k, other } of children) {
    if (!visible(k)) continue;
    for (const o of incident[other]) {
      const parent = pairs.a[o];
      if (visible(o) && directed(o) && pairs.b[o] === other && parent !== v && !roles.has(parent)) roles.set(parent, "parent of a child");
    }
  }
  return roles;
}
function blanketPart(v) {
  const roles = [...blanket(v)];
  const button = html("button", { type: "button", id: "blanket", "aria-pressed": String(state.blanket),
    text: `Markov blanket (${roles.length})`, onclick: () => { select({ chosen: v, blanket: !state.blanket }); reveal(); } });
  if (!state.blanket) return [html("p", {}, button)];
  return [html("p", {}, button), html("p", { class: "quiet", text: "By the edges above the threshold: given these variables, the others tell nothing more about this one." }),
    html("ul", {}, ...roles.slice(0, 300).map(([other, role]) => html("li", {}, nameButton(other), html("span", { class: "figure", text: role }))))];
}
function listed(title, items, figure) {
  const shown = items.slice(0, 60).map((item) => html("li", { class: visible(item.k) ? "" : "below" },
    nameButton(item.other), html("span", { class: "figure", text: figure(item) + (SIGNS.get(signOf(item.k)) || ""), title: strengthText(item.k) })));
  const rest = items.length > 60 ? [html("li", { text: `and ${items.length - 60} more` })] : [];
  return [html("h4", { text: `${title} (${items.filter((item) => visible(item.k)).length})` }), html("ul", {}, ...shown, ...rest)];
}
const heading = (text, cls) => html("h3", {}, html("span", { class: `name ${cls}`, text }),
  html("button", { type: "button", "aria-label": "Clear", text: "✕", onclick: () => choose(null) }));
function pairDetail(k) {
  const ways = [[pairs.a[k], pairs.b[k], pairs.f[k]], [pairs.b[k], pairs.a[k], pairs.r[k]]];
  panel.replaceChildren(heading(directed(k) ? "Edge" : "Edge without a clear direction", ""), html("ul", {}, ...ways.map(([from, to, p]) =>
    html("li", {}, html("span", {}, nameButton(from), " → ", nameButton(to)), html("span", { class: "figure", text: format(p) })))),
    html("p", { class: "quiet", text: `Probability of an edge in either direction: ${format(total[k])}` + (isTrue(k) ? `. Truth: ${truthText(k)}` : "") }),
    ...(strengthText(k) ? [html("p", { class: "strength", text: strengthText(k) }), html("p", { class: "quiet", text: STRENGTH })] : []));
}
function detail() {
  if (state.pair !== null) pairDetail(state.pair);
  else if (state.chosen !== null) {
    const v = state.chosen;
    const { parents, children, open } = neighbours(v);
    panel.replaceChildren(heading(names[v], ""), html("p", {}, ...belongs[v].slice(0, 30).map(chip)), ...(incident[v].some(visible) ? blanketPart(v) : []));
    if (parents.length) panel.append(...listed("Parents", parents, (i) => format(i.into)));
    if (children.length) panel.append(...listed("Children", children, (i) => format(i.from)));
    if (open.length) panel.append(...listed("Neighbours without a clear direction", open, (i) => `← ${format(i.into)}  → ${format(i.from)}`));
    if (!parents.length && !children.length && !open.length) panel.append(html("p", { class: "quiet", text: "No edge." }));
  } else if (state.community !== null) {
    const k = state.community;
    const own = communities[k];
    panel.replaceChildren(heading(`Community ${k + 1}`, ""),
      html("p", { class: "quiet", text: `${count(own.length, "variable")}, ${count(inner(k), "edge")} inside` }),
      ...areaButton(k),
      html("ul", {}, ...own.slice(0, 300).map((v) => html("li", {}, nameButton(v)))));
    if (own.length > 300) panel.append(html("p", { text: `and ${own.length - 300} more` }));
  } else {
    const hubs = names.map((_, v) => v).filter((v) => degree[v] > 0).sort((u, v) => degree[v] - degree[u] || u - v).slice(0, 8);
    panel.replaceChildren(html("p", { class: "quiet", text: asCommunities ? "Click an area to open it, and a variable in it to see its edges." : "Point at a variable to see its edges; click to select it." }));
    if (hubs.length) panel.append(html("h4", { text: "Variables with the most edges" }), html("ul", {}, ...hubs.map((v) =>
      html("li", {}, nameButton(v), html("span", { class: "figure", text: count(incident[v].filter(visible).length, "edge") })))));
  }
}
function areaButton(k) {
  const mark = asCommunities ? marks[place.get(k)] : undefined;
  if (!mark || !mark.area) return [];
  const close = () => { closeArea(k); select({ community: k }); fit(); };
  return [html("p", {}, opened.has(k)
    ? html("button", { type: "button", id: "area", text: "Close the area", onclick: close })
    : html("button", { type: "button", id: "area", text: "Open the area", onclick: () => chooseCommunity(k) }))];
}
function inner(k) {
  const own = new Set(communities[k]);
  let found = 0;
  for (let pair = 0; pair < m; pair++) if (visible(pair) && own.has(pairs.a[pair]) && own.has(pairs.b[pair])) found++;
  return found;
}

// -- threshold ---------------------------------------------------------------------------------
const slider = byId("threshold");
slider.min = data.floor;
slider.value = state.threshold;
const BINS = 33;
const tall = new Array(BINS).fill(0);
const binOf = (p) => Math.min(BINS - 1, Math.max(0, Math.floor(((p - data.floor) / (1 - data.floor)) * BINS)));
total.forEach((p) => p >= data.floor && tall[binOf(p)]++);
const highest = Math.sqrt(Math.max(1, ...tall));
byId("histogram").setAttribute("viewBox", `0 0 ${BINS} 10`);
const bars = tall.map((h, k) => svg("rect", { x: k + 0.1, y: 10 - (10 * Math.sqrt(h)) / highest, width: 0.8, height: (10 * Math.sqrt(h)) / highest }));
byId("histogram").append(...bars);

function update() {
  const t = state.threshold;
  byId("threshold-value").textContent = Number(t.toFixed(2)) === t ? t.toFixed(2) : String(t);
  bars.forEach((bar, k) => bar.classList.toggle("in", k >= binOf(t)));
  if (asCommunities) drawBundles(); else drawPairs();
  let [shown, open, hits, misses] = [0, 0, 0, 0];
  for (let k = 0; k < m; k++) {
    if (visible(k)) { shown++; if (!directed(k)) open++; if (isTrue(k)) hits++; }
    else if (isTrue(k)) misses++;
  }
  byId("shown").textContent = count(shown, "edge") + (open ? `, ${open.toLocaleString("en")} without a clear direction` : "");
  if (hasTruth) {
    const percent = (part, whole) => (whole ? ((100 * part) / whole).toFixed(1) : "0.0") + " %";
    const errors = shown - hits;
    byId("score").textContent = `${count(hits, "hit")}, ${count(misses, "miss")}, ${count(errors, "error")}; precision ${percent(hits, hits + errors)}, ` +
      `recall ${percent(hits, hits + misses)}, F ${percent(2 * hits, 2 * hits + misses + errors)}`;
    stage.classList.toggle("truth", byId("truth").checked);
  }
  paint();
  detail();
  table();
  communityList();
}
byId("run-threshold").addEventListener("click", () => { slider.value = state.threshold = data.threshold; update(); });
slider.addEventListener("input", () => { state.threshold = Number(slider.value); update(); });
byId("truth").addEventListener("change", update);
