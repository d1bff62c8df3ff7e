// Made by Tools/make-page-assets from Tools/pages; do not edit.

/// The style sheets, scripts and outlines of pages.
public enum PageAssets {
  /// `table.css`.
  public static let tableStyle: StaticString = ##"""
    :root { color-scheme: light dark; --bg: #fff; --fg: #1b1f24; --dim: #59636e; --line: #d9dee4; --head: #f6f8fa; --hover: #f1f5fa; --link: #0b5cad;
      --chip: #eaeef2; --shade: #0002; --land: #dfe5ea; --sea: #f6f8fa; --pin: #b3261e }
    @media (prefers-color-scheme: dark) { :root { --bg: #0f1216; --fg: #e4e8ee; --dim: #9aa5b1; --line: #2b323b; --head: #171c22; --hover: #1a2028;
      --link: #79b8ff; --chip: #262e38; --shade: #0008; --land: #2b323b; --sea: #14181d; --pin: #ff8a80 } }
    * { box-sizing: border-box }
    [hidden] { display: none !important }
    html { scroll-padding-top: 4rem }
    body { margin: 0; min-width: var(--w); background: var(--bg); color: var(--fg); font: 14px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif }
    a { color: var(--link); text-underline-offset: .15em }
    :focus-visible { outline: 2px solid var(--link); outline-offset: 1px; border-radius: 3px }
    .skip { position: absolute; left: -99in }
    .skip:focus { left: 1rem; top: .5rem; z-index: 9; background: var(--bg); padding: .4rem .8rem }
    header, footer, figure { position: sticky; left: 0; width: 100%; max-width: 100vw; margin: 0; padding: 1rem 1.2rem .6rem }
    header { z-index: 4 }
    footer { color: var(--dim); padding-bottom: 2rem }
    h1 { margin: 0; font-size: 1.55rem; line-height: 1.2; overflow-wrap: anywhere }
    header p { margin: .2rem 0 0; color: var(--dim) }
    .bar { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; margin-top: .7rem }
    .bar .bar { margin: 0 }
    .bar :is(input[type="search"], select, button), summary { font: inherit; color: inherit; background: var(--bg); border: 1px solid var(--line); border-radius: 7px; padding: .34rem .65rem; min-height: 2.2rem }
    .bar input[type="search"] { width: 17rem }
    .bar select { max-width: 13rem }
    .bar output { color: var(--dim) }
    summary { display: inline-block; cursor: pointer; list-style: none }
    summary::-webkit-details-marker { display: none }
    summary::after { content: " ▾"; color: var(--dim) }
    td summary { border: 0; padding: 0; min-height: 0; color: var(--link); font-size: .88em }
    details.k { position: relative }
    details.k > div { position: absolute; z-index: 5; width: max-content; min-width: 12rem; max-width: 90vw; max-height: 60vh; overflow: auto; margin-top: .3rem; padding: .5rem .9rem;
      background: var(--bg); border: 1px solid var(--line); border-radius: 9px; box-shadow: 0 6px 24px var(--shade) }
    details.k label { display: block; padding: .18rem 0; overflow-wrap: anywhere }
    fieldset { display: flex; margin: 0; padding: 0; border: 1px solid var(--line); border-radius: 7px; overflow: hidden }
    fieldset legend { position: absolute; left: -99in }
    fieldset label { padding: .34rem .75rem; cursor: pointer }
    fieldset input { position: absolute; opacity: 0 }
    fieldset label:has(:checked) { background: var(--chip); font-weight: 600 }
    fieldset label:has(:focus-visible) { outline: 2px solid var(--link); outline-offset: -2px }
    table, thead, tbody { display: block }
    table { border-top: 1px solid var(--line) }
    tr { display: grid; grid-template-columns: var(--g); padding: 0 .6rem; background: var(--bg); border-bottom: 1px solid var(--line) }
    tbody tr:hover { background: var(--hover) }
    thead { position: sticky; top: 0; z-index: 3 }
    thead tr { background: var(--head) }
    th { align-self: stretch; align-content: end; padding: .45rem .6rem; font-weight: 600; line-height: 1.25; text-align: left; overflow-wrap: anywhere }
    th span { position: absolute; left: -99in }
    th button { all: unset; cursor: pointer; display: inline }
    th button:focus-visible { outline: 2px solid var(--link); outline-offset: 2px }
    th[aria-sort] button::after { content: " ▲"; font-size: .75em }
    th[aria-sort="descending"] button::after { content: " ▼" }
    th svg { display: block; max-width: 100%; margin-top: .25rem; fill: var(--link); opacity: .55 }
    td { min-width: 0; padding: .45rem .6rem; overflow-wrap: anywhere; white-space: pre-line }
    td ul { all: unset; white-space: normal }
    td li { display: inline }
    td li + li::before { content: ", " }
    td dl { margin: 0 }
    td dt { color: var(--dim); font-size: .85em }
    td dd { margin: 0 0 .2rem }
    td label { display: block; position: relative }
    td label > input { position: absolute; opacity: 0; right: 0; bottom: 0 }
    td label > span { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden }
    td label > input:checked + span { display: block }
    td label::after { content: "more"; color: var(--link); font-size: .88em; cursor: pointer }
    td label:has(:checked)::after { content: "less" }
    td label:has(:focus-visible) { outline: 2px solid var(--link) }
    td img { display: block; width: 2.6rem; height: 3.25rem; object-fit: cover; border-radius: 5px; background: var(--chip) }
    .one tr:not(.open) td { white-space: nowrap; overflow: hidden; text-overflow: ellipsis }
    .one tr:not(.open) td > ul { white-space: nowrap }
    .one tr:not(.open) td label > input:not(:checked) + span { -webkit-line-clamp: 1; white-space: normal; margin-right: 2.6rem }
    .one tr:not(.open) td label:not(:has(:checked))::after { position: absolute; right: 0; bottom: 0 }
    .one tr:has(td input:checked) td { white-space: pre-line }
    .one td img { width: 1.6rem; height: 2rem; margin: -.2rem 0 }
    .js td a[data-n] { position: relative; display: block; width: max-content }
    .js td a[data-n]:not([data-n=""])::after { content: attr(data-n); position: absolute; right: 2px; bottom: 2px; padding: 0 .25rem; border-radius: 4px; background: #000c; color: #fff; font-size: .68rem }
    .js td a[data-n] ~ a { display: none }
    figure svg { display: block; width: 100%; max-height: 22rem; background: var(--sea); border: 1px solid var(--line); border-radius: 9px }
    figure path { fill: var(--land) }
    figure circle { fill: var(--pin); stroke: var(--bg); vector-effect: non-scaling-stroke }
    figure text { fill: var(--fg) }
    figcaption { color: var(--dim); margin-top: .3rem }
    dialog { border: 0; padding: 0; max-width: 96vw; max-height: 96vh; background: none; color: #fff }
    dialog::backdrop { background: #000d }
    dialog img { display: block; max-width: 92vw; max-height: 82vh; margin: auto; border-radius: 6px }
    dialog p { margin: .6rem 0; text-align: center }
    dialog div { display: flex; gap: .6rem; justify-content: center }
    dialog :is(button, a) { font: inherit; color: #fff; background: #000c; border: 1px solid #fff6; border-radius: 7px; padding: .35rem .9rem; text-decoration: none; cursor: pointer }
    @media print {
      header .bar, figure, dialog, .skip, th svg { display: none }
      header, footer { position: static; padding: 0 0 6pt }
      body { font-size: 8pt; line-height: 1.2; min-width: 0 }
      table { display: table; table-layout: fixed; width: 100%; border-collapse: collapse }
      thead { display: table-header-group; position: static }
      tbody { display: table-row-group }
      tr, tbody tr:hover { display: table-row; break-inside: avoid; background: none }
      td, th, .one tr td { display: table-cell; position: static; padding: 1pt 3pt; vertical-align: top; white-space: normal; overflow-wrap: anywhere }
      .one tr td, .one tr td > ul { white-space: nowrap; overflow: hidden; text-overflow: ellipsis }
      th button { display: contents }
      td label, td label > span, td label > input:not(:checked) + span { display: inline }
      .one tr:not(.open) td label > input:not(:checked) + span { white-space: nowrap }
      td label::after, th[aria-sort] button::after { content: none !important }
      td img { height: 20pt; width: 16pt }
    }
    @media screen and (max-width: 46rem) {
      fieldset { display: none }
      .bar, .bar input[type="search"] { width: 100% }
      #f { flex-wrap: nowrap; overflow-x: auto; padding: 2px }
    }

    """##
  /// `cards.css`.
  public static let cardStyle: StaticString = ##"""
      & { min-width: 0 }
      & thead { position: absolute; left: -99in }
      & table { border-top: 0 }
      & tbody { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(17rem, 100%), 1fr)); gap: .9rem; padding: .6rem 1.2rem }
      & tbody tr { display: block; padding: 0 0 .5rem; border: 1px solid var(--line); border-radius: 10px; overflow: hidden }
      & td, & .one tr:not(.open) td { display: block; white-space: pre-line; padding: .12rem .8rem; border: 0; text-align: left }
      & td:empty { display: none }
      & td::before { color: var(--dim); font-size: .85em; margin-right: .5em }
      & td:has(img) { padding: 0 0 .35rem }
      & #rows td img { width: 100%; height: 13rem; margin: 0; object-position: 50% 20%; border-radius: 0 }
      & #rows td > ul { white-space: normal }
      & #rows td label > input:not(:checked) + span { -webkit-line-clamp: 3; margin: 0 }
      & #rows td label::after { position: static }
      & td a[data-n] { display: block; width: 100% }

    """##
  /// `table.js`.
  public static let tableScript: StaticString = ##"""
    "use strict";
    (() => {
      // Small tables are elements. Large ones are text: the rows near the window are elements, a chunk at a time.
      const d = document, table = d.getElementById("rows"), heads = [...table.tHead.rows[0].cells];
      const search = d.getElementById("q"), count = d.getElementById("n"), bar = d.getElementById("f");
      const block = d.querySelector("noscript.rows"), chunk = 100, menu = d.querySelector("details.k"), ticks = [...menu.querySelectorAll("input")];
      const names = heads.map(h => h.textContent.trim()), cards = d.getElementById("vc");
      const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
      const fold = s => s.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replace(/ı/g, "i");
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
      const cellMarkup = (row, column) => {
        let at = 0;
        for (let k = 0; k <= column; k++) at = row.indexOf("<td>", at) + 4;
        const end = row.indexOf("<td>", at);
        return row.slice(at, end < 0 ? undefined : end);
      };
      const cellText = (i, c) => block ? plain(cellMarkup(rows[i], c)).trim() : rows[i].cells[c].textContent;
      const cellTexts = (i, c) => {
        if (block) {
          const s = cellMarkup(rows[i], c);
          return s.includes("<li>") ? s.split("<li>").slice(1).map(x => plain(x).trim()) : [plain(s).trim()].filter(Boolean);
        }
        const cell = rows[i].cells[c], items = cell.getElementsByTagName("li");
        return items.length ? [...items].map(x => x.textContent) : cell.textContent ? [cell.textContent] : [];
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
        menu.firstElementChild.textContent = "Columns (" + possible.filter(t => t.checked).length + " of " + possible.length + ")";
      };
      const usual = ticks.map(t => t.checked).join();
      const save = () => {
        const parts = new URLSearchParams;
        if (search.value) parts.set("q", search.value);
        if (sorted) parts.set("sort", sorted);
        for (const f of facets) if (f.select.value) parts.set("is." + names[f.column], f.select.value);
        for (const [name, value] of wanted) parts.set(name, value);
        if (ticks.map(t => t.checked).join() !== usual) parts.set("columns", names.filter((n, i) => ticks[i].checked).join(","));
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
        const shownNames = (parts.get("columns") || "").split(",").filter(n => names.includes(n));
        if (shownNames.length) ticks.forEach((t, i) => { t.checked = shownNames.includes(names[i]) });
        if (parts.get("view") === "cards") cards.checked = true;
        wanted = new Map([...parts].filter(([name]) => name.startsWith("is.")));
        facets.forEach(choose);
        const sort = parts.get("sort") || "", head = heads[names.indexOf(sort.replace(/^-/, ""))];
        tally();
        if (head && head.dataset.t !== "p") arrange(head, sort[0] === "-" ? -1 : 1); else apply();
      };
      const choose = f => {
        const value = wanted.get("is." + names[f.column]);
        if (value === undefined) return;
        f.select.value = value;
        wanted.delete("is." + names[f.column]);
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
          sorted = (sign < 0 ? "-" : "") + names[column];
          for (const other of heads) other.removeAttribute("aria-sort");
          head.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
          const keys = all.map(i => { const s = cellText(i, column); return s === "" ? null : kind === "n" ? parseFloat(s) : s });
          const compare = kind === "n" || kind === "d" ? (a, b) => a < b ? -1 : a > b ? 1 : 0 : collator.compare;
          order = all.slice().sort((i, j) => {
            const a = keys[i], b = keys[j];
            return a === null || b === null ? (a === null) - (b === null) || i - j : compare(a, b) * sign || i - j;
          });
          apply(true);
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
        if (wanted.has("is." + name)) { choose(facets.at(-1)); apply() }
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

      const box = d.querySelector("dialog"), [image, caption] = [box.querySelector("img"), box.querySelector("p")];
      const [previous, next, close] = box.querySelectorAll("button"), full = box.querySelector("a");
      let links, at, back, title;
      const show = i => {
        at = (i + links.length) % links.length;
        image.src = full.href = links[at].href;
        image.alt = caption.textContent = title + (links.length > 1 ? ", image " + (at + 1) + " of " + links.length : "");
        previous.hidden = next.hidden = links.length < 2;
      };
      table.addEventListener("click", e => {
        // A row of one line opens.
        if (!e.target.closest("a, label, button, summary, thead") && !String(getSelection())) e.target.closest("tr")?.classList.toggle("open");
        const link = e.target.closest("a[data-n]");
        if (!link || e.ctrlKey || e.metaKey || e.shiftKey) return;
        e.preventDefault();
        links = [...link.parentNode.querySelectorAll("a")];
        title = link.firstChild.alt.replace(/, image 1 of \d+$/, "");
        back = link;
        show(0);
        box.showModal();
      });
      previous.onclick = () => show(at - 1);
      next.onclick = () => show(at + 1);
      close.onclick = () => box.close();
      box.addEventListener("click", e => { if (e.target === box) box.close() });
      box.addEventListener("close", () => { image.removeAttribute("src"); back.focus() });
      box.addEventListener("keydown", e => { if (e.key === "ArrowLeft") show(at - 1); if (e.key === "ArrowRight") show(at + 1) });

      d.addEventListener("click", e => { if (!menu.contains(e.target)) menu.open = false });
      menu.addEventListener("change", () => { tally(); save() });
      for (const view of d.getElementsByName("v")) view.addEventListener("change", save);
      addEventListener("hashchange", restore);
      d.addEventListener("keydown", e => {
        if (e.key === "Escape" && menu.open) { menu.open = false; menu.firstElementChild.focus() }
        if (e.key === "/" && !/INPUT|SELECT|TEXTAREA/.test(d.activeElement.tagName)) { e.preventDefault(); search.focus() }
      });
      addEventListener("beforeprint", () => {
        if (block && shown.length <= 20000) for (const body of table.tBodies) if (!body.firstChild) fill(body);
      });
      d.documentElement.classList.add("js");
      d.getElementById("bar").hidden = false;
      draw();
      tally();
      restore();
    })();

    """##
  /// `site.css`.
  public static let siteStyle: StaticString = ##"""
    :root { color-scheme: light dark; --bg: #fff; --fg: #1b1f24; --dim: #59636e; --line: #d9dee4; --soft: #f5f7fa; --link: #0b5cad; --star: #8a5200; --land: #cfd8cf; --sea: #eaf1f7; --pin: #b3261e }
    @media (prefers-color-scheme: dark) { :root { --bg: #0f1216; --fg: #e4e8ee; --dim: #9aa5b1; --line: #2b323b; --soft: #171c22; --link: #79b8ff; --star: #f2b84b; --land: #2c3630; --sea: #121a22; --pin: #ff8a80 } }
    * { box-sizing: border-box }
    body { margin: 0; background: var(--bg); color: var(--fg); font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; overflow-wrap: anywhere }
    a { color: var(--link); text-underline-offset: .15em }
    img { max-width: 100% }
    :focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 4px }
    :target { outline: 2px solid var(--link); outline-offset: 4px; border-radius: 4px }
    .skip { position: absolute; left: -99in }
    .skip:focus { left: 1rem; top: .5rem; z-index: 9; background: var(--bg); padding: .4rem .8rem }
    header { background: var(--soft); border-bottom: 1px solid var(--line) }
    header > div { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; align-items: center; max-width: 72rem; margin: auto; padding: .55rem 1.25rem }
    header nav { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; margin-right: auto }
    header a { color: inherit; text-decoration: none }
    header a:hover { text-decoration: underline }
    header [aria-current] { color: var(--link); font-weight: 600 }
    main { max-width: 72rem; margin: auto; padding: 1.2rem 1.25rem 2rem }
    body > footer { max-width: 72rem; margin: auto; padding: 0 1.25rem 2rem; color: var(--dim); font-size: .88rem }
    h1 { margin: .2rem 0 .3rem; font-size: 1.9rem; line-height: 1.2 }
    h2 { margin: 1.8rem 0 .6rem; font-size: 1.25rem }
    h3 { margin: 1.2rem 0 .4rem; font-size: 1.05rem }
    .dim, .num, .date, .path { color: var(--dim) }
    .dim { margin: 0 }
    .num, .date { font-variant-numeric: tabular-nums; white-space: nowrap }
    .path { margin-bottom: .4rem; font-size: .9rem }
    .star { color: var(--star); letter-spacing: .05em; white-space: nowrap }
    .text, .note { max-width: 48rem; white-space: pre-line }
    .note { margin: .3rem 0; padding: .7rem 1rem; background: var(--soft); border: 1px solid var(--line); border-left: 3px solid var(--star); border-radius: 0 10px 10px 0 }
    .pages { display: flex; flex-wrap: wrap; gap: .4rem 1.2rem; margin: 1rem 0 }
    .cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(11.5rem, 100%), 1fr)); gap: 1rem; margin: 1rem 0; padding: 0; list-style: none }
    .cards.wide { grid-template-columns: repeat(auto-fill, minmax(min(16rem, 100%), 1fr)) }
    .cards.small { grid-template-columns: repeat(auto-fill, minmax(min(8.5rem, 100%), 1fr)) }
    .cards > li { position: relative; border: 1px solid var(--line); border-radius: 12px; overflow: hidden }
    .cards > li > :is(img, .none) { display: block; width: 100%; aspect-ratio: 4 / 5; object-fit: cover; object-position: 50% 20%; background: var(--soft) }
    .cards.wide > li > :is(img, .none) { aspect-ratio: 16 / 9 }
    .cards > li > .none { display: grid; place-items: center; color: var(--dim); font-size: 2.4rem }
    .cards div { padding: .6rem .8rem .75rem }
    .cards :is(h2, h3) { margin: 0; font-size: 1rem; line-height: 1.3 }
    .cards p { margin: .1rem 0; color: var(--dim); font-size: .9rem }
    .cards dl { margin: .4rem 0 0; font-size: .9rem }
    .cards:not(.wide) :is(h2, h3) a::after { content: ""; position: absolute; inset: 0 }
    .record { display: grid; grid-template-columns: minmax(0, 18rem) minmax(0, 1fr); gap: 1.8rem; align-items: start }
    .record > :only-child { grid-column: 1 / -1 }
    .record h1 { margin-top: 0 }
    figure { margin: 0 }
    .record > figure > a > img { display: block; width: 100%; border-radius: 12px }
    .record > figure ul { display: grid; grid-template-columns: repeat(4, 1fr); gap: .4rem; margin: .4rem 0 0; padding: 0; list-style: none }
    .record > figure li img { display: block; width: 100%; aspect-ratio: 1; object-fit: cover; object-position: 50% 20%; border-radius: 7px }
    .still img { display: block; max-height: 22rem; margin: .6rem 0; border-radius: 12px }
    dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .35rem 1.2rem; margin: 1rem 0 }
    dt { max-width: 12rem; color: var(--dim) }
    dd { margin: 0 }
    .tags { display: flex; flex-wrap: wrap; gap: .2rem .3rem; margin: 0; padding: 0; list-style: none }
    .tags li { padding: 0 .6rem; background: var(--soft); border: 1px solid var(--line); border-radius: 1rem; font-size: .88rem }
    blockquote { max-width: 48rem; margin: 0 0 .8rem; padding: .55rem 1rem; background: var(--soft); border-left: 3px solid var(--link); border-radius: 0 8px 8px 0 }
    blockquote p { margin: 0; white-space: pre-line }
    blockquote footer { color: var(--dim); font-size: .88rem }
    .list { margin: 0; padding: 0; list-style: none }
    .list > li { display: flex; flex-wrap: wrap; gap: .3rem .8rem; padding: .7rem 0; border-bottom: 1px solid var(--line) }
    .list > li > div { flex: 1; min-width: 0 }
    .list > li > img { width: 2.6rem; height: 2.6rem; object-fit: cover; border-radius: 50% }
    .list :is(h2, p) { margin: .1rem 0 }
    .list p { color: var(--dim) }
    .list .text { color: inherit }
    .episodes { columns: 2; column-gap: 2.5rem; margin: 0; padding: 0; list-style: none }
    .episodes li { display: flex; gap: .7rem; padding: .22rem 0; break-inside: avoid; border-bottom: 1px solid var(--line) }
    .episodes .date { margin-left: auto; font-size: .88rem }
    .map { position: relative; margin: 1rem 0 }
    .map summary { color: var(--dim); cursor: pointer }
    .map svg { display: block; width: 100%; height: auto; max-height: 75vh; background: var(--sea); border: 1px solid var(--line); border-radius: 12px; cursor: grab }
    .map path { fill: var(--land) }
    .map circle { fill: var(--pin); stroke: var(--bg); vector-effect: non-scaling-stroke }
    .map .planned { fill: var(--bg); stroke: var(--link); stroke-width: 2.5px }
    .map text { fill: var(--fg) }
    .map .zoom { position: absolute; right: .7rem; top: 2.2rem; display: flex; gap: .3rem }
    button, input { font: inherit; color: inherit; background: var(--bg); border: 1px solid var(--line); border-radius: 8px; padding: .45rem .8rem }
    input[type="search"] { width: min(34rem, 100%) }
    button { min-width: 2.6rem; cursor: pointer }
    .pin { display: inline-block; width: .75rem; height: .75rem; margin: 0 .35rem 0 0; border-radius: 50%; background: var(--pin) }
    .pin.planned { margin-left: 1rem; background: none; border: 3px solid var(--link) }
    @media (max-width: 46rem) {
      .record { grid-template-columns: minmax(0, 1fr) }
      .episodes { columns: 1 }
      .cards, .cards.small { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: .7rem }
      .cards.wide { grid-template-columns: minmax(0, 1fr) }
      dl { grid-template-columns: minmax(0, 1fr); gap: 0 }
      dd { margin-bottom: .5rem }
    }
    @media print { header, .skip, .zoom, .pages { display: none } }

    """##
  /// `site.js`.
  public static let siteScript: StaticString = ##"""
    "use strict";
    (() => {
      const d = document;
      // The map: buttons, the wheel with Ctrl, double clicks and dragging change the part that is shown; markers keep their size.
      const svg = d.querySelector(".map svg");
      if (svg) {
        const start = svg.getAttribute("viewBox").split(" ").map(Number), world = [0, 0, 3600, 1800];
        let [x, y, width, height] = start, drag;
        const circles = [...svg.querySelectorAll("circle")].map(c => [c, +c.getAttribute("r")]);
        const names = [...svg.querySelectorAll("text")].map(t => {
          const circle = t.parentNode.querySelector("circle"), [cx, cy] = [+circle.getAttribute("cx"), +circle.getAttribute("cy")];
          return [t, cx, +t.getAttribute("x") - cx, cy, +t.getAttribute("y") - cy, +t.getAttribute("font-size")];
        });
        const show = () => {
          width = Math.min(world[2], Math.max(60, width));
          height = width * start[3] / start[2];
          x = Math.min(world[2] - width, Math.max(0, x));
          y = Math.min(world[3] - Math.min(height, world[3]), Math.max(0, y));
          svg.setAttribute("viewBox", [x, y, width, height].map(n => n.toFixed(1)).join(" "));
          const k = width / start[2];
          for (const [circle, r] of circles) circle.setAttribute("r", r * k);
          for (const [text, cx, dx, cy, dy, size] of names) {
            text.setAttribute("x", cx + dx * k);
            text.setAttribute("y", cy + dy * k);
            text.setAttribute("font-size", size * k);
          }
        };
        const zoom = (factor, cx = x + width / 2, cy = y + height / 2) => {
          const old = width;
          width = Math.min(world[2], Math.max(60, width * factor));
          const f = width / old;
          x = cx - (cx - x) * f;
          y = cy - (cy - y) * f;
          show();
        };
        const point = e => {
          const box = svg.getBoundingClientRect();
          return [x + (e.clientX - box.left) / box.width * width, y + (e.clientY - box.top) / box.height * height];
        };
        const bar = d.createElement("div");
        bar.className = "zoom";
        for (const [sign, label, action] of [["+", "Zoom in", () => zoom(.6)], ["−", "Zoom out", () => zoom(1 / .6)],
          ["⌂", "All places", () => { [x, y, width, height] = start; show() }]]) {
          const button = d.createElement("button");
          button.type = "button";
          button.textContent = sign;
          button.setAttribute("aria-label", label);
          button.addEventListener("click", action);
          bar.append(button);
        }
        svg.parentNode.append(bar);
        svg.addEventListener("wheel", e => {
          if (!e.ctrlKey && !e.metaKey) return;
          e.preventDefault();
          zoom(e.deltaY > 0 ? 1.2 : 1 / 1.2, ...point(e));
        }, { passive: false });
        svg.addEventListener("dblclick", e => zoom(.5, ...point(e)));
        svg.addEventListener("pointerdown", e => {
          if (e.target.closest("a")) return;
          drag = [e.clientX, e.clientY];
          svg.setPointerCapture(e.pointerId);
        });
        svg.addEventListener("pointermove", e => {
          if (!drag) return;
          const box = svg.getBoundingClientRect();
          x -= (e.clientX - drag[0]) / box.width * width;
          y -= (e.clientY - drag[1]) / box.height * height;
          drag = [e.clientX, e.clientY];
          show();
        });
        svg.addEventListener("pointerup", () => { drag = null });
      }

      // The search: all words must occur; titles count more than texts.
      const search = d.getElementById("q");
      if (!search || !window.BB) return;
      const fold = s => s.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replace(/ı/g, "i");
      const { kinds, rows } = window.BB, hits = d.getElementById("hits"), count = d.getElementById("n"), most = 50;
      const texts = rows.map(r => fold(r[2] + "\n" + r[3]));
      const titles = rows.map(r => fold(r[2]));
      const find = () => {
        const words = fold(search.value).split(/\s+/).filter(Boolean);
        hits.replaceChildren();
        count.value = "";
        if (!words.length) return;
        const found = [];
        texts.forEach((text, i) => {
          let score = 0;
          for (const word of words) {
            if (!text.includes(word)) return;
            score += titles[i].startsWith(word) ? 3 : titles[i].includes(word) ? 2 : 1;
          }
          found.push([score, i]);
        });
        found.sort((a, b) => b[0] - a[0] || a[1] - b[1]);
        for (const [, i] of found.slice(0, most)) {
          const [kind, path, title, text] = rows[i];
          const item = d.createElement("li"), box = d.createElement("div"), link = d.createElement("a"), label = d.createElement("span"), line = d.createElement("p");
          link.href = path;
          link.textContent = title || path;
          label.className = "num";
          label.textContent = " " + kinds[kind];
          line.textContent = text.length > 160 ? text.slice(0, 160) + "…" : text;
          box.append(link, label, line);
          item.append(box);
          hits.append(item);
        }
        count.value = found.length + (found.length === 1 ? " result" : " results") + (found.length > most ? ", the first " + most + " shown" : "");
      };
      try { search.value = decodeURIComponent(location.hash.slice(1)) } catch { search.value = "" }
      search.addEventListener("input", () => {
        history.replaceState(null, "", "#" + encodeURIComponent(search.value));
        find();
      });
      find();
      search.focus();
    })();

    """##
  /// `land.path`.
  public static let land: StaticString = ##"""
    M 3586 1066 l 8-2 6-3 0 5-13 4 z M 3587 189 l 13-4 0 7-11 0 z M 1624 753 l 9-9 4-16 0-29-8-9 11-27 9-8 7-18
    13-13 14-6 21-17-2-13 5-14 24-15 10-17 37 6 37-14 38-1 10-4 21 2 11-4 7 1 0 5 9-2-5 5 3 7-1 9-6 5 1 5 12 7 37
    8 5 9 34 11 9-7-2-8 3-4 14-6 14 2 3 4 20 6 13 0 24 7 21-7 7 2 3 4 2-3 16 3 7-5 15-31 1-12-3-5 3-3-14-2-7 6-15
    1-8-5-11-1-9 6-10-6-11 0-13-15 5-8-6-5 11-9 15-1 4-7 19 1 24-9 17 0 31 11 21-1 12-5-2-11-47-26 7-2 8-8-5-4
    14-7-41 10 0 7 15 1-2 4-24 7-6-2 2-4-10-3 11-5-3-3-16-2 0-4-9 1-12 16-8 1-2 12-9 11 4 10 9 3-2 2-12 1-12
    8-4-6-11-1-12 2 7 6-5 1-13-3 7 11-3 2 10 8 0 5-9-2 3 5-6 1 4 9-7 0-8-4-6-15-17-20 1-14-35-18-8-7-3-9-6-1-3
    4-3-3 2-5-8-1-8 3 3 13 25 21 8 0 0 5 26 13-2 4-14-6-4 6 7 4-1 5-10 9-4 1 4-11-7-10-33-17-16-12-3-10-13-5-24
    13-19-3-15 3-1 12-9 7-13 2-11 17 4 6-8 11-14 9-23 0-10 8-5-1-6-9-24 0 1-14-7-4 7-21-2-18-4-4 14-7 61 3 5-6
    2-20-18-16-15-4-1-7 30 0-3-11 9 5 23-8 3-8 22-7 9-15 24-6 10 2 7-5-7-15 0-10 4-6 21-6-3 8 6 4-12 10 2 9 11 2 0
    4 15-5 16 7 35-11 21 5 2-5 14-3-2-16 5-6 9-4 8 8 8 0 3-14-10-2-1-6 26-4 21 1 11-5-10-5-52 7-16-9 2-10-4-9 4-6
    39-19-1-4-14-5-17 3-10 7 2 6-36 17-7 14 17 12-9 11-11 3-9 26-12-1-6 8-12 0-25-41-20 12-14 2-13-5-7-34 55-25
    43-33 44-20 38-4 15-8 37-2 31 7-13 3 11 6 10-3 17 6 27 2 46 16 0 7-27 8-52-6 16 7 2 15 20 5 1-4-6-5 7-3 24 6
    8-3-6-7 23-10 19 4 5-7-8-6 5-6-7-6 27 4 6 5-12 1 0 6 8 3 15-2 2-6 56-14 8 1-10 6 12 1 41-8 11 6 12-6-11-6 6-3
    29 3 50 14 7-5-11-8-12-1 4-4-6-11 32-20 27 2 2 6-9 8 9 10-2 14 11 6-24 21 11 1 26-16-5-5 4-7-11-1-2-5
    8-10-13-8 18-7-2-7 10 5-4 10 10 1-4-7 17-4 21 0 17 5-8-8-1-10 63-3-8-6 12-6 60-9 35 1 41-5 12-9 24-4 17 3-13 3
    22 1 2 5 39-2 30 9-2 5-44 11 35 2 5 7 21-5 32 2 2 5 42 1 1-7 37 1 16 6 5 6-6 4 28 12 10-10 16 4 59-1-7-9 14-4
    90 6 35 14 60-1 8 4-1 8 12 3 69-2 18 9 12-3-8-7 5-4 52 2 43 9 0 40-25 4 19 16-2 7-18-2-37 8-34 18-14-7-26
    8-5-4-9 5-14-2-15 17 1 4 11 2-1 14-10 1-4 8 4 4-17 6-4 11-15 2-3 11-14 9-14-44 5-14 9-6 0-4 16-3 53-30 7-14-11
    0-6 9-26 11-8-13-26 4-25 16 8 7-37 3 0-7-15-2-13 5-63 2-70 42 15 2 5 6 10 2 6-5 11 1 14 11 1 9-8 10-5 28-19
    21-33 29-14 6-12-5-23 14-3 10-22 11-1 6 9 6 12 18 0 12-4 5-26 7 1-13-5-10 7-2-6-9-9 1-6-4 6-14-10-4-32 10
    11-15-6-5-26 16-10 1-5 5 6 6 8 2 0 5 8 2 11-7 16 4 1 6-14 3-19 17 10 5 17 27 0 8-6 2 8 9-4 16-6 1-24 36-28
    17-17 6-4-3-6 4-24 7-4 11-5 0-1-11-13-3-18 10-8 9-2 7 32 38 4 19-1 17-40 31-4-6 3-7-16-7-9-16-18-4 2-8-9 0-9
    41 7 1 11 23 20 14 4 6 1 21 7 15-7 1-21-16-12-25-1-12-16-19-2 6-1-6 6-30-16-55-18 12-12-3
    3-13-2-9-6-15-13-10-10-21-9 0-2 10-13-3-1 4-19 2 0 8-5 5-14 7-29 25 0 4-19 7-4 55-6 1-4 7 3 4-9 3-8
    9-9-9-17-38-5-19-9-14-9-53-14 5-7-1-13-12 4-4-2-3-20-11-10-15-49 3-41-6-4-13-5-1-18 6-32-14-14-22-12-2-9 3 8
    23 14 10-1 8 7 11 2-12 6 2-2 12 4 6 22-1 24-23 0 15 4 7 19 6 11 13-13 19-7 2-1 13-11 3-3 7-10 3 0 4-29 8-2
    8-26 9-9 7-31 7-6 6-15 1-9-26 0-16-17-27-18-18 0-13-6-11-10-6-24-38-5 0 3-14-10 19-15-22 17 37 16 22-2 8 14 11
    6 34 9 6 9 21 40 35-6 7 14 13 5 0 65-16-1 14-15 38-18 26-74 68-11 21-5 12 1 6 6 3-2 17 13 23 3 39-7 14-27
    15-26 22-1 7 9 16-1 20-29 16 3 5-4 21-24 28-19 17-24 11-32 0-30 9-12-7-5-15 3-2 0-7-30-46-9-50-25-40-2-14 9-32
    11-15 1-13-8-15 3-6-13-36-31-39 10-42-13-17-26 5-16-20-16 0-47 16-26-5-34 8-49-34-3-11-16-20-18-13-1-14 z M
    2276 463 l -1 7 21 24 8 3-8 1-7 14 3 12 16 7 30-1 1-19-8-4 2-7-6 0 2-9 10 3 8-4-10-11-8 2-1 8-3-17-12-3-10-15
    10 1 0-7 17-1 0-15-18-2-35 14-10 10 z M 3574 1082 l 3-8 10 2-1 6-7 1 z M 3526 1245 l 17 8 10 19 1-7 4 3 2 8 14
    4 11-3-5 15-8 0-12 21-8 4-5-4 5-8-3-6-11-4 8-7 1-14 z M 3465 1359 l 18-18 22-11 23-25 4 8 8-4 2 4 0 5-15 16 4
    5-16 3-9 17-13 7-26-4 z M 3440 1101 l 10 4 21 17-4 2-12-7 z M 3345 951 l 15 14-1 3-7-3 z M 2933 1161 l 4 4-3-9
    8 6-8-18 7-26 1 7 4-7 21-11 42-10 13-15 1-9 7-9 4 9 4-2-3-5 3-5 5 2 1-7 13-14 14-4 13 11 12 1-2-6 12-19 20-4
    0-5-8-3 6-2 29 11 12-3 5 5-10 9-5 17 38 24 9 3 7-3 8-24 0-26 8-17 14 38 7-3 8 8 10 40 24 14 9 19 10 1 2 11 20
    18 2 20 5 8-7 35-26 41-3 17-17 4-20 12-14-6 1-5-14 9-30-8-6-6-4-13-15-5 3-5-2-7-5 7-9 2 11-17-1-7-14 12-4
    8-8-4 0-6-11-11 2-2-30-11-52 7-19 8-5 9-38 1-19 11-14-1-16-8 0-6 7-3 0-17 z M 3307 927 l 2-2 13 7 9 13-3
    3-4-10 z M 3283 957 l 1-3 14 1 3-5 1 5 6 0 8-7-1-6 8 1-3 12-18 8 z M 3105 909 l 19-5 16 4 4 20 10 6 9-11 11-6
    9 0 63 22 12 10 2 6 16 6 3 5-9 1 2 7 15 17 6 0 0 4 15 8-1 3-28-5-19-20-13-5-14 6 1 8-8 3-16-2-9-8-10-2-15 3
    4-8 7-3-8-19-42-19-7 6-3-8-7-5 18-3-1-3-15 0 z M 3261 148 l 3-3 43 4-11 4 z M 3260 1335 l -13-28 17 4 19-2 1
    12-5 11-3-3-7 7 z M 3198 474 l 5-7 11-1 6-22 19 14 7 2 7-4 2 11-14 3-9 10-16-7-5 11-11 0 z M 3170 147 l 5-6
    13-2 63 5-8 8-53 2 z M 3216 381 l 1-14 9-5-4-4 5-2 5 26 15 28-15-3-6 14 9 11 0 7-8-6-6 7 1-49 z M 3199 166 l
    22-5 15 7-15 0 z M 3094 567 l 10-3 22-18 31-1 10-18 7 5 20-14 7-12-2-12 4-6 11-2 5 22-9 10-2 24-5 7-31 5-14
    11-7-3 0-8-41 7 10 8-7 16-6 5-5-4 2-9 z M 3124 570 l 5-11 6 2 4-5 7 3 2 3-6 6-4-3-8 8 z M 3079 934 l 2-6 13 0
    11 3 3 8-8-5 z M 3074 890 l 5-12 1 6 6 1 0 12-5 0-1 5 4 6-3 1-4-6 z M 3035 1002 l 5-9 11-6 22-3-22 10-7 7 z M
    3021 831 l 2-11 12-7 4 5 9-8 7 0-1-8 8 5 3 21-3 9-4-10-4 5 3 8-3 4-12-6-3-7 3-5-6-4 z M 3043 774 l 9 1 6
    15-8-3 3 9-5 3-5-14 6 1 0-4 z M 2988 928 l 12-34 9-7 20 4 12 0 10-7 1 2-8 10-7 2-35 0-2 7 9 9 6-4 18-4 0
    5-5-2-13 10 10 13-2 3 9 12 0 6-6 3-4-3 5-8-10 4-2-3 1-4-7-6 0-10-6 3 1 26-6 2-4-3 1-19-4 0 z M 2999 736 l 4 3
    4-24 12 3 3-3 3 14-2 8-6 4 0 16 23 5 1 13-12-10-2 3-7-6-14-1 4-6-3-2-1 3-5-6 z M 3024 803 l 5-12 6 0-1 6 7-9-1
    9-10 13 z M 3019 781 l 12 3 0 4-11 8 z M 2999 984 l 21 1 9-4-1 5-15 3-14-1 z M 3001 664 l 14-17 5 3-13 30 z M
    3003 765 l 12 4-2 9-5-5 z M 2990 996 l 9-2 8 8-4 1 z M 2972 816 l 18-20 5-10 2 8 z M 2891 905 l 0-18 6-7 7 3
    8-1 2-9 16-4 37-38 4 0 6 9 15 6-1 4-6 0 1 5-7 4-6 9 7 9-1 5 11 9-12 1-3 16-9 7-5 25-1-3-11 4-4-6-12-4-12
    4-4-5-15-1-1-13 z M 2967 990 l 12-9 10 2 2 4 z M 2854 969 l 7-10 12 1 13 8 19 1 3-4 18 4 4 7 27 8-11 4-63-10 z
    M 2886 706 l 16-7 8 4-7 10-8 5-8-3 z M 2753 845 l 22 3 31 31 11 0 21 20-4 8 10 4 5 12 7 1 5 7-3 28-11
    0-21-17-33-44-7-16-32-32 z M 2794 121 l 19-13 8-1 33 6-3 4 z M 2712 97 l 47-10 43 15-3 9-21 1-45-6-8-7 z M
    2597 818 l 4-16 17 23-2 10-13 5 z M 2487 1398 l 2-12 17 7-3 4 z M 2315 180 l 10-2-1-6 20-8-9-1 24-9-3-5 56-12
    70-6 7 4-73 12-31 10-31 19 2 9 19 8-38-1-3-4-18-3 z M 2248 94 l 35-2 2 3 15-4 15 2-39 7-11-2 5-4 z M 2233 1121
    l 11-20-4-27 4-12 19-4 14-12 2-9 4 1 9-18 6 9 7 23-3 8-3-6-2 3 1 12-27 80-17 7-14-6 z M 2123 549 l 6-3 17-3-16
    11 z M 1974 97 l 55-4 45 6-15 6-29 1-29-2 z M 2035 547 l 2-4 26 4-1 3-15 1 z M 2007 123 l 7-2-6-4 21-2 18 6-22
    5 z M 1904 103 l 28-3 5 3 14 0 4-3 15-1 45 11-25 4-5 8-9 2-5 8-12 0-21-6 8-3-34-12 z M 1924 524 l 2-5 29-1-4
    16 z M 1909 342 l 15-3 3 5-6 8 z M 1882 491 l 10-3 6 7-1 13-9 3-4-3 z M 1885 477 l 2-3 7-4 2 8-4 8 z M 1739
    332 l 11-18 20 0-10 10 20-1-11 17 10 1 10 13 7 1 9 16 12 2-1 6-5 3 3 5-8 5-36 1-6 5-22 0 23-12-15-2-3-4
    11-3-6-5 2-7 15 1 2-6-7-6-12-2-3-3 4-4-3-3-6 5 0-10 z M 1700 382 l 8-11-5-10 21-12 9-1 10 6-5 7 2 7-8 9-18 6 z
    M 1067 120 l 1-4 75-10 3-4-26-3 57-12-4-5 55-4 42 3 26-5 53 6-18-4 1-4 82-9 115 0 63 8-19 4-91 1 70 4 19-3 8
    4-10 5 73-7 30 2 6 4-73 11 18 1-20 14 0 11 12 6-31 4 18 5 2 9-10 1 12 8-21 1 11 4-4 3-27 2 12 7 0 4-20-4-5 3
    27 8 3 8-17 2-20-9 3 6-11 6 40 1-54 16-41 4-24 14-56 12-9 7-5 13-16 8 4 8-10 18-14 1-15-9-20 0-33-27-7-16-14-9
    4-7-7-4 10-12 15-3 6-12-26 6-12-3 3-12 29 2-25-9-18-2 11-9-26-21-13-4 0-4-27-6-72 0-29-9 42-4 z M 1557 244 l
    6-7 16-1 15 7 15-6 13 3 16-5 17 0-2 7 11 7-13 7-38 9-41-5 10-4-22-5 18-2 0-3 z M 119 243 l 36-9 8 0-1 5 21
    0-27-15-24-8 6-5 30-5 13-9 53-11 23 7 107 5 71 13 21-7 15 1 31-7 7 4 10-7 23 10 14-7 1 8 28-4 63 9 13 5-13 5
    53-1 10 6 11-5-10-4 6-4 20-1 19 8 28 4 30-2-1-6 9-2 16 4 0 9 6-8 8 0 5-10-23-10 1-11 12-7 23 6 14 11-9 5 19 2
    0 10 13-8 12 7-3 7 9 7 18-16 1-11 29 2 13 5 1 5-8 6 7 5-1 5-19 7-25-2-15 18-12 7-22 5-1 6-11 2-23 19-5 19 15 2
    9 17 14-2 59 20 27 2 2 18 7 11 15 10 8-3 5-11-5-15-7-6 16-4 17-14-8-15-12-8 12-11-8-24 7-3 27 4 9-2 24 13 18 0
    3 21 16 8 15-6 16-15 32 33-4 7 22 11 23 6 4 8 11 5 1 12-43 19-64 0-21 11-25 22 7-1 17-13 20-8 15-1 9 5-9 6 6
    19 13 5 17-2 10-11 1 7 6 4-56 24-7-1-1-9 17-8-26 2 1 3-31 11-5 6-2 8 3 5 4 0-1-3 3 2-1 3-35 6 16 1-21 2-2 10-7
    8-6-6 4 11-8 12 2-7-5-4-2-8 1 10-5-1 5 3 6 23-7 8-27 13-22 21 0 14 12 31-3 17-8 0-5-7-12-20 2-7-10-13-14
    3-13-8-32 2 2 10-44-5-28 14-8 9 3 15-8 35 7 18 13 18 15 7 30-8 6-4 5-17 32-5 3 7-8 11-2 14-5-2-1 20-5 6 39-1
    16 7 2 10-6 32 16 21 13 1 13-7 28 10 11-8 2-12 6-5 15-1 16-12 7 3-3 6-5 1 3 10-5 5 4 8 4 0 3-8-4-11 12-4-1-4
    4-4 3 7 7 1 7 8 20 0 13 5 6-5 24-1-8 3 3 4 16 6 1 8 16 6 6 12 14 8 31 2 27 16 8 23 5 2 1 7-8 8 21 4 0 10 8-6
    29 10 5 5-2 6 12-3 34 5 28 19 20 7 5 18-4 17-36 41-6 48-16 40-9 5-2 6-26 4-30 15-9 10-4 28-49 57-11
    6-13-1-16-4-6-6-1 5 13 9-2 7 7 4-10 18-15 5-31 1 2 19-17 5-9-4-4 3 1 10 7 3 5-4 3 6-17 9-4 15-9 0-8 6-3 7 20
    9-4 9-12 6-6 12-13 8 3 11 6 5-13 0-13 6-2 9-4 1-35-16-4-7 3-6-5-6-1-17 4-10 10-8-14-3 9-8 3-17 12 3 5-20-7-3-3
    13-6-2 6-33 5-6-4-21 4-1 18-47-1-35 6-13 7-78-2-14-11-10-45-28-3-11-35-63-14-11 3-4-5-10 16-20-2-5-4 5-6-5
    1-11 3-2 5-17 12-6 5-12 5-1 8-11-4-3 0-26-7-8 0-8-14-6-9 8 5 6-9 3-2-6-4 1-2-4-18-3-1-7-13-10-2 5-6-3
    0-12-20-18 4-1-2-3-10 1-27-7-35-23-19 5-69-26-20-16-2-5 3-1 1-9-7-14-24-24-9-4 0-8-11-8-2-7-16-11-10-22-16-6 1
    16 31 35 9 24 5 0 8 11-6 4-3-6-19-13-1-13-28-17 5 0 4-9-13-10-18-34-12-10-21-6-38-57 2-17-3-8 6-27-8-27 16 2 5
    9 3-3-5-16-28-14-18-4-6-9 1-6-12-5-2-8-12-7 0-5-15-7-3-9-12-8-6-9-25-1-33-13-41-5-31-9-11 2 2 7-37 8-2-5 5-10
    10-3-2-3-34 19 7 5-9 8-21 7-21 14-64 16 30-15 12-1 29-16 6-13-20 5-6-5-3 3-4-5-16 4 1-9-6-4-13 2-15-7-1-6-7-4
    15-16 15 0 23-7-7-6 6-4-19 5-22-1-14-3 z M 1206 421 l 6-3-4-3 18-22 15-9 5 0-13 17 6-3 6 3-3 3 23 4-3 7 7-2 5
    12-5 8-4 1-7-2 2-8-2-1-12 8-6 0 7-5-9-2-31 0 z M 1188 1419 l 12-6 8 2 7-4 7 5-16 6-5-3-8 4 z M 1181 799 l 2-7
    8-1 0 8 z M 1155 401 l 16 2 11 6-18-3 z M 884 81 l 61-8 23 4 8-6 31-2 65-1 109 6 0 2-56 9 20 0-40 9-17 8-54 5
    11 1-7 2 8 5-43 13 18 4-27 6-89-3-1-5 18-2-5-7 32 3-12-6-17-2 29-9-14-4-4-6 35 2 14-4-56 0-18-4 z M 898 178 l
    8-9 10-4 26-3-8 6 8 7 9-8 26-5 17 11-1 6 29-6 36 9 1 5 19-3 10 7 24 4 18 13-17 5 38 9 15 9 15 0-3 7-17
    12-28-14-13 1-1 6 28 13 6 10-3 7-36-10 24 18-27-4-59-24 0 3-29 2-9-4 7-7 39-2-3-3 4-5 12-10-6-8-36-8
    6-3-27-10-23 5-74-7-8-4 10-4-14 0 z M 1156 433 l 4-3 3 5 17 1-9 4 z M 1053 1428 l 36 13 8-12 17-3 9 13 26 8-4
    5-15-3-11 7-11-1-31-10 z M 1128 716 l 9-1 7 3-16 3 z M 1055 717 l 1-4 20 0-4-8-6-1 2-3 24 0 25 13-4 4-20-2-7
    8-10-6-15 2 z M 950 681 l 17-11 27-1 13 7 10-1 18 13 9 2-1 3 15 4-8 4-28 0 7-5-10-3-6-9-31-6-4-2 3-2-9-1-13 8
    z M 1028 224 l 4-5 17 1-1 6-7 3-11 0 z M 1017 718 l 14-2 7 5-10 2 z M 991 167 l 1-4 4-1 23 1 18 9-32 1 z M
    1016 654 l 2-6 3 0 4 14 z M 829 132 l 4-4 51 4 9 4-2 3 17 5 81-1 13 8-21 5-79-1-26-3-5-11-10-4 z M 928 265 l
    8-5 5-17 58 20-9 3-15-3-6-4-24 10-4-5 z M 960 275 l 7-4 14 0-12 7 z M 833 98 l 23-8-3-2 23-1 13 6 33 4 20
    10-32 10-39 0-11-5 1-3 6-3-17 0 z M 840 171 l 5-10 10-2 40 2-38 19-11-1 z M 832 151 l 19-7 13 6-6 4 z M 836
    122 l 20 0 7 2-25 0 z M 814 111 l 18 1 12 4-2 3-15 2-8-2 z M 802 206 l 16-7 26 10-7 3 z M 775 175 l 0-3 20
    1-10-7 11-4 30 0 3 3-9 5 15 4-2 9-17 4 z M 774 137 l 41-4 8 4 0 6-5 7-16 1-11-2 0-5-16 0 z M 745 107 l 47 5 11
    9-55-5 9-3-11-2 z M 606 184 l 15-11 27-6 10 2-4 4 22-3 13 5 12-5 9 4 8 9 5-4-7-10 9-1 21 5 9 17 35 10-1 4-16 1
    6 4-3 3-36-4-73 7-6-5-22-2-12-8 47-4-53-1-5-4 21-4 z M 731 165 l 16-1 8 2-9 6 z M 623 148 l 23-13 63 10-14-9
    9-4 11 1 7 9 19-2 2 5-6 5-59 6-15 0-2-3 19-5 z M 675 116 l 10-4 18 2-12 2 z M 665 123 l 8-4 28 1-22 6 z M 541
    181 l 19-18-9-6 73 1 21 7-37 10-13 7 0 4-26 5 z M 571 139 l 38-14 29-1-1 7-8 4-44 6 z M 516 395 l 26 2 23
    18-22-3-13-10-11-2 z M 478 374 l -10-16 14 1-2 11 8 8 z M 253 325 l 15-5 11 4-19 9 z M 239 703 l 2-6 11 8-9 6
    z M 125 298 l 18-1 1 4-6 1 z M 82 266 l 1-4 30 5-8 3 z M 0 250 l 0-40 51 18-1 6 6 3-2-8 27 2 20 9-26 6-1 9-4
    2-30-6-2-5-22 0-5-3 2-4-12 2 5 5 z M 0 192 l 1-8 23 3-11 4 z

    """##
}
