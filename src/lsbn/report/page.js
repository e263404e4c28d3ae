"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { names, communities, colours, home, pairs, picture } = data;
  const byId = (id) => document.getElementById(id);
  const CLEAR = 0.75; // share of one direction from which an arrowhead is drawn
  const PAGE = 25;
  const hasTruth = pairs.t !== undefined;
  const m = pairs.a.length;
  const total = pairs.f.map((f, k) => f + pairs.r[k]);
  const belongs = names.map(() => []);
  communities.forEach((group, k) => group.forEach((v) => belongs[v].push(k)));
  const incident = names.map(() => []);
  for (let k = 0; k < m; k++) {
    incident[pairs.a[k]].push(k);
    incident[pairs.b[k]].push(k);
  }
  const state = { threshold: data.threshold, chosen: null, community: null, pair: null, blanket: false, hover: null };

  // -- small helpers: text is always set as text -------------------------------------------------
  const SVG = "http://www.w3.org/2000/svg";
  function fill(node, attributes, children) {
    for (const [key, value] of Object.entries(attributes || {})) {
      if (key === "text") node.textContent = value;
      else if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
      else if (value !== null && value !== undefined) node.setAttribute(key, value);
    }
    for (const child of children || []) node.append(child);
    return node;
  }
  const html = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
  const svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
  const format = (p) => (p > 0 && p < 0.0005 ? "<0.001" : p.toFixed(3));
  const count = (k, thing) => `${k.toLocaleString("en")} ${thing}${k === 1 ? "" : "s"}`;
  const shortened = (name, most) => {
    const letters = Array.from(name);
    return letters.length > most ? letters.slice(0, most - 1).join("") + "…" : name;
  };
  const colourClass = (k) => (k >= 0 && colours[k] >= 0 ? `c${colours[k]}` : "");
  const directed = (k) => pairs.f[k] >= CLEAR * total[k] && total[k] > 0;
  const visible = (k) => total[k] > state.threshold;
  const isTrue = (k) => hasTruth && pairs.t[k] > 0;
  const status = (k) => (visible(k) ? (isTrue(k) ? "hit" : "error") : isTrue(k) ? "miss" : "");
  const nameButton = (v) =>
    html("button", { type: "button", class: "plain", text: names[v], onclick: () => choose(v, true) });

  // -- the picture -------------------------------------------------------------------------------
  const stage = byId("network");
  const view = svg("g", {});
  const linkLayer = svg("g", {});
  const markLayer = svg("g", {});
  view.append(linkLayer, markLayer);
  stage.append(view);
  const asCommunities = picture.kind === "communities";
  const place = new Map(picture.marks.map((id, k) => [id, k]));
  const opened = new Set(); // communities whose areas are open
  const inside = new Map(); // variable of an area that was opened -> its mark
  const markOf = (v) => (opened.has(home[v]) ? inside.get(v) : place.get(asCommunities ? home[v] : v));
  const degree = names.map((_, v) => incident[v].reduce((sum, k) => sum + total[k], 0));
  const members = communities.map(() => []);
  home.forEach((k, v) => k >= 0 && members[k].push(v));
  const largest = members.reduce((most, own) => Math.max(most, own.length), 1);
  const ruler = document.createElement("canvas").getContext("2d");
  ruler.font = `11px ${getComputedStyle(document.body).fontFamily}`;
  const marks = [];
  // A mark is a variable, or the area of a community. The scale is less than 1 inside an area.
  function addMark(id, area, x, y, r, scale) {
    const weight = area ? members[id].length : degree[id];
    const circle = svg("circle", { r });
    const text = svg("text", { text: shortened(area ? `Community ${id + 1}` : names[id], 24) });
    const node = svg(
      "g",
      { class: `node ${colourClass(area ? id : home[id])}`, transform: `translate(${x} ${y})` },
      circle, text, svg("title", { text: described(id, area) })
    );
    node.dataset.mark = marks.length;
    markLayer.append(node);
    marks.push({ id, area, x, y, r, scale, node, circle, text, weight, hidden: false, width: 5 + ruler.measureText(text.textContent).width });
    return marks.length - 1;
  }
  picture.marks.forEach((id, k) => {
    const size = asCommunities ? members[id].length : 1;
    const variable = asCommunities && size === 1 ? members[id][0] : id;
    const r = asCommunities ? 3 + 8 * Math.sqrt(size / largest) : 5 + 1.1 * Math.sqrt(Math.min(degree[id], 30));
    addMark(size > 1 ? id : variable, size > 1, picture.x[k], picture.y[k], r, 1);
  });
  function openArea(k) {
    const area = marks[place.get(k)];
    if (!asCommunities || !area || !area.area || opened.has(k)) return;
    opened.add(k);
    area.node.classList.add("open");
    const r = area.r * Math.min(0.06, 0.2 / Math.sqrt(members[k].length));
    for (const v of members[k]) {
      if (!inside.has(v)) inside.set(v, addMark(v, false, 0, 0, r, r / 6));
      const mark = marks[inside.get(v)];
      mark.hidden = false;
      mark.node.style.display = "";
      move(mark, area.x + area.r * picture.inner.x[v] - mark.x, area.y + area.r * picture.inner.y[v] - mark.y);
    }
    drawBundles();
  }
  function closeArea(k) {
    opened.delete(k);
    marks[place.get(k)].node.classList.remove("open");
    for (const v of members[k]) {
      const mark = marks[inside.get(v)];
      mark.hidden = true;
      mark.node.style.display = "none";
    }
    drawBundles();
  }
  function move(mark, dx, dy) {
    mark.x += dx;
    mark.y += dy;
    mark.node.setAttribute("transform", `translate(${mark.x} ${mark.y})`);
    if (mark.area && opened.has(mark.id)) for (const v of members[mark.id]) move(marks[inside.get(v)], dx, dy);
    for (const [link, { from, to }] of ends) if (from === mark || to === mark) route(link);
  }

  function described(id, area) {
    if (area) return `Community ${id + 1}: ${count(communities[id].length, "variable")}`;
    const others = belongs[id].filter((k) => k !== home[id]).map((k) => k + 1);
    const lines = [names[id]];
    if (home[id] >= 0) lines.push(`community ${home[id] + 1}` + (others.length ? `, also ${others.join(", ")}` : ""));
    return lines.join("\n");
  }

  const calm = marks.length > 150 ? 0.75 : 1; // thinner lines where there are many
  const drawn = new Map(); // pair, or "mark-mark" between communities -> its element

  const ends = new Map(); // element of an edge -> the marks it joins, its width, and whether it has an arrowhead
  function line(from, to, width, strength, arrow) {
    const outer = from.scale === 1 && to.scale === 1;
    const group = svg("g", { class: outer ? "link outer" : "link", "stroke-width": (calm * width * Math.min(from.scale, to.scale)).toFixed(4), opacity: (calm * strength).toFixed(2) },
      svg("line", {}), svg("line", { class: "grip" }));
    if (arrow) group.append(svg("path", { class: "tip" }));
    ends.set(group, { from, to, width, arrow });
    route(group);
    linkLayer.append(group);
    return group;
  }
  function route(group) {
    const { from, to, width, arrow } = ends.get(group);
    const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
    const [ux, uy] = [(to.x - from.x) / length, (to.y - from.y) / length];
    const scale = Math.min(from.scale, to.scale);
    const tip = arrow ? scale * (4.5 + 1.6 * width) : 0;
    const start = [from.x + ux * from.r, from.y + uy * from.r];
    const end = [to.x - ux * (to.r + 1.5 * scale), to.y - uy * (to.r + 1.5 * scale)];
    const stop = [end[0] - ux * tip * 0.8, end[1] - uy * tip * 0.8];
    const along = { x1: start[0], y1: start[1], x2: stop[0], y2: stop[1] };
    fill(group.children[0], along);
    fill(group.children[1], along);
    if (arrow) {
      const base = [end[0] - ux * tip, end[1] - uy * tip];
      const side = [-uy * tip * 0.42, ux * tip * 0.42];
      const d = `M${end[0]} ${end[1]}L${base[0] + side[0]} ${base[1] + side[1]}L${base[0] - side[0]} ${base[1] - side[1]}Z`;
      group.children[2].setAttribute("d", d);
    }
  }

  function drawPairs() {
    for (let k = 0; k < m; k++) {
      const shown = visible(k) || (isTrue(k) && byId("truth").checked);
      let link = drawn.get(k);
      if (shown && !link) {
        link = drawPair(k);
        if (!link) continue;
        drawn.set(k, link);
      }
      if (!link) continue;
      link.style.display = shown ? "" : "none";
      paintStatus(link, k);
    }
  }
  function paintStatus(link, k) {
    if (hasTruth) for (const word of ["hit", "miss", "error"]) link.classList.toggle(word, status(k) === word);
  }
  function drawPair(k) {
    const [from, to] = [markOf(pairs.a[k]), markOf(pairs.b[k])];
    if (from === undefined || to === undefined) return null;
    const missed = total[k] <= data.floor;
    const way = isTrue(k) && missed ? pairs.t[k] : 1;
    const both = way === 2 ? [marks[to], marks[from]] : [marks[from], marks[to]];
    const arrow = missed ? way !== 3 : directed(k);
    const link = line(...both, missed ? 1.2 : 0.6 + 1.6 * total[k], missed ? 0.8 : 0.2 + 0.7 * total[k], arrow);
    link.append(svg("title", { text: pairText(k) }));
    link.dataset.pair = k;
    return link;
  }

  function drawBundles() {
    linkLayer.replaceChildren();
    drawn.clear();
    ends.clear();
    const bundles = new Map();
    for (let k = 0; k < m; k++) {
      const [from, to] = [markOf(pairs.a[k]), markOf(pairs.b[k])];
      if (from === undefined || to === undefined || from === to) continue;
      const key = from < to ? `${from}-${to}` : `${to}-${from}`;
      if (!marks[from].area && !marks[to].area) {
        if (!visible(k) && !(isTrue(k) && byId("truth").checked)) continue;
        const link = drawPair(k);
        paintStatus(link, k);
        drawn.set(key, link);
      } else if (visible(k)) bundles.set(key, (bundles.get(key) || 0) + 1);
    }
    for (const [key, edges] of bundles) {
      const [from, to] = key.split("-").map(Number);
      const link = line(marks[from], marks[to], 0.6 + 0.7 * Math.sqrt(edges), Math.min(0.25 + 0.1 * edges, 0.8), false);
      link.append(svg("title", { text: count(edges, "edge") }));
      drawn.set(key, link);
    }
  }

  function pairText(k) {
    const [a, b] = [names[pairs.a[k]], names[pairs.b[k]]];
    const lines = [`${a} → ${b}: ${format(pairs.f[k])}`, `${b} → ${a}: ${format(pairs.r[k])}`];
    if (isTrue(k)) lines.push(`truth: ${truthText(k)}`);
    return lines.join("\n");
  }
  const truthText = (k) => {
    const [a, b] = [names[pairs.a[k]], names[pairs.b[k]]];
    return [null, `${a} → ${b}`, `${b} → ${a}`, `${a} – ${b}`][pairs.t[k]];
  };

  // -- zoom, pan, labels -------------------------------------------------------------------------
  const camera = { k: 1, x: 0, y: 0, w: 1, h: 1, moved: false };
  function frame(some, most = 2.2) {
    const pad = 34;
    let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
    for (const mark of some) {
      left = Math.min(left, mark.x - mark.r); right = Math.max(right, mark.x + mark.r);
      top = Math.min(top, mark.y - mark.r); bottom = Math.max(bottom, mark.y + mark.r);
    }
    if (!some.length) return;
    const foot = camera.w < 600 ? 24 : 0; // room for the buttons
    camera.k = Math.min((camera.w - 2 * pad) / Math.max(right - left, 1e-3), (camera.h - foot - 2 * pad) / Math.max(bottom - top, 1e-3), most);
    camera.x = camera.w / 2 - (camera.k * (left + right)) / 2;
    camera.y = (camera.h - foot) / 2 - (camera.k * (top + bottom)) / 2;
    camera.moved = true;
    look();
  }
  function fit() {
    frame(marks);
    camera.moved = false;
  }
  const selected = () => marks[state.community !== null && asCommunities ? place.get(state.community) : state.chosen !== null ? markOf(state.chosen) : -1];
  const spot = (mark) => [camera.x + camera.k * mark.x, camera.y + camera.k * mark.y];
  const inView = ([x, y]) => x >= 30 && y >= 30 && x <= camera.w - 30 && y <= camera.h - 30;
  function centre(mark) {
    const [x, y] = spot(mark);
    camera.x += camera.w / 2 - x;
    camera.y += camera.h / 2 - y;
    camera.moved = true;
  }
  // Zoom by a key or button: about the selected node, so that it stays in view.
  function zoomHere(factor) {
    const mark = selected();
    if (mark && factor && !inView(spot(mark))) centre(mark);
    zoom(factor, ...(mark ? spot(mark) : [camera.w / 2, camera.h / 2]));
  }
  function zoom(factor, cx, cy) {
    if (!factor) return fit();
    const k = Math.min(Math.max(camera.k * factor, 0.02), 400);
    camera.x = cx - ((cx - camera.x) * k) / camera.k;
    camera.y = cy - ((cy - camera.y) * k) / camera.k;
    camera.k = k;
    camera.moved = true;
    look();
  }
  // The picture ends where the first screen ends; the script, not the style, knows what is above it.
  function stretch() {
    const above = stage.getBoundingClientRect().top + scrollY;
    const tall = Math.min(Math.max(innerHeight - above - 16, 300), 900);
    document.documentElement.style.setProperty("--tall", `${Math.floor(tall)}px`);
  }
  function resize() {
    const box = stage.getBoundingClientRect();
    if (!box.width) return;
    [camera.w, camera.h] = [box.width, box.height];
    stage.setAttribute("viewBox", `0 0 ${box.width} ${box.height}`);
    if (camera.moved) look(); else fit();
    label();
  }
  let waiting = false;
  function look() {
    view.setAttribute("transform", `translate(${camera.x} ${camera.y}) scale(${camera.k})`);
    if (!waiting) {
      waiting = true;
      requestAnimationFrame(() => { waiting = false; label(); });
    }
  }

  // A name is placed below, above, right or left of its node, where it hides no other name or node.
  // Nodes with the most edges come first. A name without room is hidden until the user zooms in.
  function label() {
    const size = 11;
    const cell = 48;
    const taken = new Map();
    const cells = (box, act) => {
      for (let i = Math.floor(box[0] / cell); i <= Math.floor(box[2] / cell); i++)
        for (let j = Math.floor(box[1] / cell); j <= Math.floor(box[3] / cell); j++) if (act(i + "," + j)) return true;
      return false;
    };
    const put = (box) => cells(box, (key) => { (taken.get(key) || taken.set(key, []).get(key)).push(box); });
    const blocked = (box, own) => box[0] < 0 || box[2] > camera.w || box[1] < 0 || box[3] > camera.h || cells(box, (key) => (taken.get(key) || []).some(
      (b) => b[4] !== own && b[0] < box[2] && box[0] < b[2] && b[1] < box[3] && box[1] < b[3]));
    const near = nearMarks();
    const spots = marks.map((mark, k) => ({ k, mark, open: mark.area && opened.has(mark.id), x: camera.x + camera.k * mark.x, y: camera.y + camera.k * mark.y, r: camera.k * mark.r })).filter(({ mark }) => !mark.hidden);
    for (const s of spots) { // never smaller than a dot
      s.r = Math.max(s.r, 1.8);
      s.mark.circle.setAttribute("r", s.r / camera.k);
    }
    linkLayer.setAttribute("class", camera.k < 0.2 ? "thin" : camera.k > 4 ? "close" : "");
    for (const s of spots) if (!s.open && (!near || near.has(s.k))) put([s.x - s.r, s.y - s.r, s.x + s.r, s.y + s.r, s.k]);
    const first = (s) => (s.k === focusMark() ? 2 : near && near.has(s.k) ? 1 : 0);
    spots.sort((s, o) => first(o) - first(s) || o.mark.weight - s.mark.weight || s.k - o.k);
    for (const s of spots) {
      const w = s.mark.width;
      const outside = s.x < -w || s.x > camera.w + w || s.y < -20 || s.y > camera.h + 20;
      const options = [[0, s.r + size], [0, -s.r - 3], [s.r + w / 2 + 1, 4], [-s.r - w / 2 - 1, 4]];
      const box = ([dx, dy]) => [s.x + dx - w / 2, s.y + dy - size + 1, s.x + dx + w / 2, s.y + dy + 3, s.k];
      let spot = null;
      if (!outside && !s.open && !(near && !near.has(s.k))) {
        spot = options.find((o) => !blocked(box(o), s.k));
        if (!spot && first(s) === 2) spot = options[0];
      }
      s.mark.text.style.display = spot ? "" : "none";
      if (!spot) continue;
      put(box(spot));
      s.mark.text.setAttribute("font-size", size / camera.k);
      s.mark.text.setAttribute("x", spot[0] / camera.k);
      s.mark.text.setAttribute("y", spot[1] / camera.k);
    }
  }

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
      text: `Markov blanket (${roles.length})`, onclick: () => select({ chosen: v, blanket: !state.blanket }) });
    if (!state.blanket) return [html("p", {}, button)];
    return [html("p", {}, button), html("p", { class: "quiet", text: "Whoever knows these variables learns nothing more about this one from the others." }),
      html("ul", {}, ...roles.slice(0, 300).map(([other, role]) => html("li", {}, nameButton(other), html("span", { class: "figure", text: role }))))];
  }
  function listed(title, items, figure) {
    const shown = items.slice(0, 60).map((item) => html("li", { class: visible(item.k) ? "" : "below" },
      nameButton(item.other), html("span", { class: "figure", text: figure(item) })));
    const rest = items.length > 60 ? [html("li", { text: `and ${items.length - 60} more` })] : [];
    return [html("h4", { text: `${title} (${items.filter((item) => visible(item.k)).length})` }), html("ul", {}, ...shown, ...rest)];
  }
  const heading = (text, cls) => html("h3", {}, html("span", { class: `name ${cls}`, text }),
    html("button", { type: "button", "aria-label": "Clear", text: "✕", onclick: () => choose(null) }));
  function pairDetail(k) {
    const ways = [[pairs.a[k], pairs.b[k], pairs.f[k]], [pairs.b[k], pairs.a[k], pairs.r[k]]];
    panel.replaceChildren(heading(directed(k) ? "Edge" : "Edge without a clear direction", ""), html("ul", {}, ...ways.map(([from, to, p]) =>
      html("li", {}, html("span", {}, nameButton(from), " → ", nameButton(to)), html("span", { class: "figure", text: format(p) })))),
      html("p", { class: "quiet", text: `Probability of an edge in either direction: ${format(total[k])}` + (isTrue(k) ? `. Truth: ${truthText(k)}` : "") }));
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
      byId("score").textContent = `${hits} hits, ${misses} misses, ${errors} errors; precision ${percent(hits, hits + errors)}, ` +
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

  // -- table of edges ----------------------------------------------------------------------------
  const columns = [
    { title: "From", key: (k) => names[pairs.a[k]], text: true },
    { title: "To", key: (k) => names[pairs.b[k]], text: true },
    { title: "Edge", key: (k) => total[k], hint: "Probability of an edge in either direction" },
    { title: "This direction", key: (k) => pairs.f[k], hint: "Probability of the edge in this direction" },
    { title: "Opposite", key: (k) => pairs.r[k], hint: "Probability of the edge in the opposite direction" },
  ];
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
    if (event.button === 0) drag = { x: event.clientX, y: event.clientY, moved: false, mark: markAt(event.target) };
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
})();
