(() => {
  // Small tables are elements. Large ones are text: the rows near the window are elements, a chunk at a time.
  const d = document, table = d.getElementById("rows"), heads = [...table.tHead.rows[0].cells];
  const search = d.getElementById("q"), count = d.getElementById("n"), bar = d.getElementById("f");
  const block = d.querySelector("noscript.rows"), chunk = 100, menu = d.querySelector("details.k"), ticks = [...menu.querySelectorAll("input")];
  // The names that a reader sees, and those of the columns, which the address has.
  const names = heads.map(h => h.textContent.replace(/\n$/, "")), keys = heads.map((h, i) => h.dataset.c ?? names[i]), cards = d.getElementById("vc");
  const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
  const number = x => x.toLocaleString("en");
  const entities = { amp: "&", lt: "<", gt: ">", quot: '"' };
  const plain = s => s.replace(/<[^>]*>/g, " ").replace(/&(amp|lt|gt|quot);/g, (m, e) => entities[e]);
  const rows = [];
  if (block) {
    const text = block.textContent;
    for (let i = text.indexOf("\n<tr>") + 1; i > 0;) {
      const next = text.indexOf("\n<tr>", i) + 1;
      rows.push(text.slice(i, next || text.lastIndexOf("</table>")));
      i = next;
    }
  } else rows.push(...table.tBodies[0].rows);
  const size = rows.length;
  // The beginnings of cells in the text of a row: a title is the header of its row, unless it is blank.
  const opening = heads.map(h => h.dataset.h === undefined ? "<td>" : '<th scope="row">');
  const find = (row, column, at) => {
    const found = row.indexOf(opening[column], at);
    return found < 0 ? row.indexOf("<td>", at) : found;
  };
  const cellMarkup = (row, column) => {
    let at = 0;
    for (let k = 0; k <= column; k++) at = row.indexOf(">", find(row, k, at)) + 1;
    const end = column + 1 < opening.length ? find(row, column + 1, at) : -1;
    return row.slice(at, end < 0 ? undefined : end);
  };
  const cellText = (i, c) => block ? plain(cellMarkup(rows[i], c)).trim() : rows[i].cells[c].textContent.trim();
  const cellTexts = (i, c) => {
    if (block) {
      const s = cellMarkup(rows[i], c);
      return s.includes("<li>") ? s.split("<li>").slice(1).map(x => plain(x).trim()) : [plain(s).trim()].filter(Boolean);
    }
    const items = rows[i].cells[c].getElementsByTagName("li");
    return items.length ? [...items].map(x => x.textContent.trim()) : [cellText(i, c)].filter(Boolean);
  };
  const all = [...rows.keys()];
  let order = all, shown = all, texts, observer, height = 44;
  const facets = [];

  const fill = body => {
    const start = body.dataset.i * chunk;
    body.innerHTML = shown.slice(start, start + chunk).map(i => rows[i]).join("");
    [...body.rows].forEach((row, i) => row.setAttribute("aria-rowindex", start + i + 2));
    body.style.height = "auto";
  };
  const draw = isSorted => {
    count.value = shown.length === size ? number(size) + (size === 1 ? " row" : " rows") : number(shown.length) + " of " + number(size) + " rows";
    if (!block) {
      const visible = new Set(shown);
      rows.forEach((row, i) => { if (row.hidden === visible.has(i)) row.hidden = !visible.has(i) });
      if (isSorted) table.tBodies[0].append(...order.map(i => rows[i]));
      return;
    }
    observer?.disconnect();
    for (const body of [...table.tBodies]) body.remove();
    observer = new IntersectionObserver(entries => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) { if (!target.firstChild) fill(target) }
        else if (target.firstChild && !target.contains(d.activeElement)) {
          target.style.height = target.offsetHeight + "px";
          target.replaceChildren();
        }
      }
    }, { rootMargin: "1500px" });
    table.setAttribute("aria-rowcount", shown.length + 1);
    if (shown.length) {
      // Rows of one height, so that the end of the page is where it is expected.
      const body = table.createTBody();
      body.innerHTML = shown.slice(0, 20).map(i => rows[i]).join("");
      height = body.offsetHeight / body.rows.length || height;
      body.remove();
    }
    const bodies = d.createDocumentFragment();
    for (let i = 0; i * chunk < shown.length; i++) {
      const body = d.createElement("tbody");
      body.dataset.i = i;
      body.style.height = Math.min(chunk, shown.length - i * chunk) * height + "px";
      bodies.append(body);
    }
    table.append(bodies);
    for (const body of table.tBodies) observer.observe(body);
  };
  const apply = isSorted => {
    const words = fold(search.value).split(/\s+/).filter(Boolean);
    if (words.length && !texts) texts = all.map(i => fold(block ? plain(rows[i]) : rows[i].textContent));
    const chosen = facets.filter(f => f.select.value);
    shown = words.length || chosen.length
      ? order.filter(i => words.every(w => texts[i].includes(w)) && chosen.every(f => cellTexts(i, f.column).includes(f.select.value))) : order;
    draw(isSorted);
    save();
  };

  // The address holds the state of the page.
  let sorted = "", state = "", wanted = new Map;
  const tally = () => {
    const possible = ticks.filter(t => getComputedStyle(t.parentNode).display !== "none");
    menu.querySelector("span").textContent = " (" + possible.filter(t => t.checked).length + " of " + possible.length + ")";
  };
  const usual = ticks.map(t => t.checked), place = n => keys.includes(n) ? keys.indexOf(n) : names.indexOf(n);
  const save = () => {
    const parts = new URLSearchParams;
    if (search.value) parts.set("q", search.value);
    if (sorted) parts.set("sort", sorted);
    for (const f of facets) if (f.select.value) parts.set("is." + keys[f.column], f.select.value);
    for (const [column, value] of wanted) parts.set("is." + keys[column], value);
    if (ticks.some((t, i) => t.checked !== usual[i]))
      parts.set("columns", keys.filter((n, i) => ticks[i].checked).map(n => n.replaceAll("%", "%25").replaceAll(",", "%2C")).join(","));
    if (cards.checked) parts.set("view", "cards");
    const text = parts.size ? "#" + parts : "";
    if (text === state) return;
    state = text;
    history.replaceState(null, "", text || location.pathname + location.search);
  };
  const restore = () => {
    if (location.hash === state) return;
    const parts = new URLSearchParams(location.hash.slice(1));
    search.value = parts.get("q") || "";
    const listed = (parts.get("columns") || "").split(",").map(n => place(n.replaceAll("%2C", ",").replaceAll("%25", "%"))).filter(i => i >= 0);
    ticks.forEach((t, i) => { t.checked = listed.length ? listed.includes(i) : usual[i] });
    d.getElementsByName("v")[parts.get("view") === "cards" ? 1 : 0].checked = true;
    wanted = new Map([...parts].filter(([n]) => n.startsWith("is.")).map(([n, value]) => [place(n.slice(3)), value]).filter(([i]) => i >= 0));
    for (const f of facets) { f.select.value = ""; choose(f) }
    const sort = parts.get("sort") || "", exact = heads[place(sort)], head = exact || heads[place(sort.replace(/^-/, ""))];
    tally();
    if (head && head.dataset.t !== "p") arrange(head, !exact && sort[0] === "-" ? -1 : 1); else unsort();
  };
  const choose = f => {
    const value = wanted.get(f.column);
    if ([...f.select.options].some(o => o.value === value)) f.select.value = value;
    wanted.delete(f.column);
  };
  let timer;
  search.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(apply, size > 5000 ? 200 : 60) });

  heads.forEach((head, column) => {
    const kind = head.dataset.t;
    if (kind === "p") return;
    const button = d.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => arrange(head, head.getAttribute("aria-sort") === "ascending" ? -1 : 1));
  });
  const arrange = (head, sign) => {
      const column = heads.indexOf(head), kind = head.dataset.t;
      sorted = (sign < 0 ? "-" : "") + keys[column];
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
      const values = all.map(i => { const s = cellText(i, column); return s === "" ? null : kind === "n" ? parseFloat(s) : s });
      const compare = kind === "n" || kind === "d" ? (a, b) => a < b ? -1 : a > b ? 1 : 0 : collator.compare;
      order = all.slice().sort((i, j) => {
        const a = values[i], b = values[j];
        return a === null || b === null ? (a === null) - (b === null) || i - j : compare(a, b) * sign || i - j;
      });
      apply(true);
  };

  const unsort = () => {
    const isSorted = sorted !== "";
    for (const head of heads) head.removeAttribute("aria-sort");
    [sorted, order] = ["", all];
    apply(isSorted);
  };

  // Counting is cut into slices, so that the page stays responsive.
  const addFacet = function* (head, column) {
    const counts = new Map;
    for (const i of all) {
      for (const x of cellTexts(i, column)) counts.set(x, (counts.get(x) || 0) + 1);
      if (counts.size > 14) return;
      if (i % 64 === 0) yield;
    }
    if (counts.size < 2 || counts.size > size * .8 || [...counts.keys()].some(x => x.length > 40)) return;
    const select = d.createElement("select"), name = names[column];
    select.setAttribute("aria-label", name);
    select.add(new Option(name + ": all", ""));
    for (const [x, n] of [...counts].sort((a, b) => b[1] - a[1])) select.add(new Option(x + " (" + number(n) + ")", x));
    select.addEventListener("change", () => apply());
    facets.push({ select, column });
    bar.append(select);
    if (wanted.has(column)) { choose(facets.at(-1)); apply() }
  };
  const addHistogram = function* (head, column) {
    const values = new Float64Array(size), distinct = new Set;
    let low = Infinity, high = -Infinity;
    for (const i of all) {
      const x = values[i] = parseFloat(cellText(i, column).replace(/^(\d{4})-(\d\d).*/, (m, y, n) => +y + (n - 1) / 12));
      if (x < low) low = x;
      if (x > high) high = x;
      if (x === x && distinct.size < 6) distinct.add(x);
      if (i % 64 === 0) yield;
    }
    if (distinct.size < 6) return;
    const bars = Array(16).fill(0);
    for (const i of all) {
      const x = values[i];
      if (x === x) bars[Math.min(15, Math.floor((x - low) / (high - low) * 16))]++;
      if (i % 4096 === 0) yield;
    }
    const most = Math.max(...bars), space = "http://www.w3.org/2000/svg", svg = d.createElementNS(space, "svg");
    for (const [k, v] of [["viewBox", "0 0 64 14"], ["width", 64], ["height", 14], ["aria-hidden", "true"]]) svg.setAttribute(k, v);
    bars.forEach((x, i) => {
      const bar = d.createElementNS(space, "rect"), h = x && Math.max(1, 14 * x / most);
      for (const [k, v] of [["x", i * 4], ["width", 3], ["y", 14 - h], ["height", h]]) bar.setAttribute(k, v);
      svg.append(bar);
    });
    head.append(svg);
  };
  const countAll = function* () {
    if (size < 2 || size > 500000) return;
    for (const [column, head] of heads.entries()) {
      const kind = head.dataset.t;
      if ("tlb".includes(kind)) { if (facets.length < 5) yield* addFacet(head, column) }
      else if ("nd".includes(kind)) yield* addHistogram(head, column);
    }
  };
  const counting = countAll(), slice = () => {
    for (const end = performance.now() + 8; performance.now() < end;) if (counting.next().done) return;
    setTimeout(slice);
  };
  setTimeout(slice, 50);

  // A row of one line opens.
  table.addEventListener("click", e => {
    if (!e.target.closest("a, label, button, summary, thead") && !String(getSelection())) e.target.closest("tr")?.classList.toggle("open");
  });
  // On a phone the facets are in the menu.
  const phone = matchMedia("(max-width: 46rem)"), settle = () => phone.matches ? menu.lastElementChild.prepend(bar) : count.after(bar);
  phone.addEventListener("change", settle);
  settle();
  d.addEventListener("click", e => { if (!menu.contains(e.target)) menu.open = false });
  menu.addEventListener("change", () => { tally(); save() });
  for (const view of d.getElementsByName("v")) view.addEventListener("change", save);
  addEventListener("hashchange", restore);
  d.addEventListener("keydown", e => {
    if (e.key === "Escape" && menu.open) { menu.open = false; menu.firstElementChild.focus() }
    if (e.key === "/" && !/INPUT|SELECT|TEXTAREA/.test(d.activeElement.tagName)) { e.preventDefault(); search.focus() }
  });
  // On paper, large tables have a copy of plain text, cut to the columns of a sheet: cells that clip, and the styles of the
  // page, take several times as long.
  const most = 20000, paper = d.createElement("div"), sheet = new CSSStyleSheet, pen = d.createElement("canvas").getContext("2d");
  sheet.replaceSync(`* { box-sizing: border-box } table { table-layout: fixed; width: 100%; border-collapse: collapse }
    td, th { padding: 1pt 3pt; font-weight: 400; text-align: left; vertical-align: top; overflow-wrap: anywhere } th { font-weight: 600 }
    tr { break-inside: avoid; border-bottom: 1px solid var(--line) } img { height: 20pt; max-width: 36pt }`);
  paper.className = "paper";
  const cut = (text, room) => {
    const width = pen.measureText(text = text.slice(0, 400)).width;
    if (width <= room) return text;
    let end = Math.ceil(text.length * room / width);
    while (end > 0 && pen.measureText(text.slice(0, end) + "…").width > room) end--;
    return text.slice(0, end) + "…";
  };
  addEventListener("beforeprint", () => {
    if (!block) return;
    const [body, ...rules] = [...d.styleSheets[0].cssRules].at(-1).cssRules, widths = rules.filter(r => r.selectorText.startsWith("thead"));
    const columns = [...heads.keys()].filter(i => getComputedStyle(heads[i]).display !== "none"), copy = d.createElement("table");
    const add = (row, tag, text) => { const cell = row.appendChild(d.createElement(tag)); cell.append(text); return cell };
    const first = copy.createTHead().insertRow(), target = copy.createTBody();
    for (const i of columns) add(first, "th", names[i]).style.width = widths[i].style.width;
    const root = paper.shadowRoot ?? paper.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [sheet];
    root.replaceChildren(copy);
    table.after(paper);
    // The narrowest usual sheet.
    Object.assign(paper.style, { display: "block", position: "absolute", width: "710px", fontSize: body.style.fontSize, lineHeight: 1.2 });
    const font = getComputedStyle(paper).font, rooms = [...first.cells].map((cell, k) => "ndb".includes(heads[columns[k]].dataset.t) ? Infinity : cell.clientWidth - 9);
    paper.style.cssText = "";
    for (const i of shown.slice(0, most)) {
      const row = target.insertRow();
      columns.forEach((c, k) => {
        const image = cellMarkup(rows[i], c).match(/<img [^>]*>/), tag = opening[c].slice(1, 3);
        pen.font = tag === "th" ? "600 " + font : font;
        if (image) add(row, tag, "").innerHTML = image[0];
        else add(row, tag, cut(cellTexts(i, c).join(", "), rooms[k]));
      });
    }
    if (shown.length > most) root.append(number(most) + " of " + number(shown.length) + " rows");
  });
  addEventListener("afterprint", () => paper.remove());
  d.documentElement.classList.add("js");
  draw();
  tally();
  restore();
})();
