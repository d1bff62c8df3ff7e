// The search of a site. The field in the header leads to the page of the search, which loads its files one after the other.
(() => {
  const d = document, field = d.getElementById("find");
  if (field) {
    field.hidden = false;
    field.nextElementSibling.hidden = true;
    field.addEventListener("keydown", e => { if (e.key === "Enter" && field.value.trim()) location.href = field.dataset.to + "#" + encodeURIComponent(field.value.trim()) });
    d.addEventListener("keydown", e => {
      if (e.key === "/" && !/INPUT|SELECT|TEXTAREA/.test(d.activeElement.tagName)) { e.preventDefault(); (d.getElementById("q") || field).focus() }
    });
  }
  const search = d.getElementById("q"), hits = d.getElementById("hits"), count = d.getElementById("n"), most = 50, around = 120;
  if (!search || !hits) return;
  // All words must occur; titles count more than texts.
  const entries = [], loaded = new Set;
  // The places of a word in a text: folding may change its length, so each character is folded alone.
  const places = (text, words) => {
    let folded = "";
    const at = [];
    for (let i = 0; i < text.length; i++) for (const c of fold(text[i])) { folded += c; at.push(i) }
    const found = [];
    for (const word of words) for (let i = folded.indexOf(word); i >= 0; i = folded.indexOf(word, i + word.length)) found.push([at[i], at[i + word.length - 1] + 1]);
    return found.sort((a, b) => a[0] - b[0]);
  };
  const marked = (text, words, isCut) => {
    const found = places(text, words), parts = [];
    let start = 0, end = text.length;
    if (isCut && text.length > around) {
      start = Math.max(0, Math.min((found[0]?.[0] || 0) - 40, text.length - around));
      end = start + around;
    }
    let i = start;
    if (start > 0) parts.push("…");
    for (const [from, to] of found) {
      if (from < i || to > end) continue;
      parts.push(text.slice(i, from), element("mark", {}, text.slice(from, to)));
      i = to;
    }
    parts.push(text.slice(i, end));
    if (end < text.length) parts.push("…");
    return parts;
  };
  const find = () => {
    const words = fold(search.value).split(/\s+/).filter(Boolean);
    hits.replaceChildren();
    count.value = "";
    if (!words.length) return;
    const found = [];
    entries.forEach((entry, i) => {
      let score = 0;
      for (const word of words) {
        if (!entry.all.includes(word)) return;
        score += entry.title.startsWith(word) ? 3 : entry.title.includes(word) ? 2 : 1;
      }
      found.push([score, i]);
    });
    found.sort((a, b) => b[0] - a[0] || a[1] - b[1]);
    for (const [, i] of found.slice(0, most)) {
      const [, path, title, text] = entries[i].row;
      hits.append(element("li", {}, element("div", {}, element("a", { href: path }, ...marked(title || path, words)),
        element("span", { className: "num" }, " " + entries[i].kind), element("p", {}, ...marked(text, words, true)))));
    }
    const all = window.BB?.[0].files || 1;
    count.value = found.length.toLocaleString("en") + (found.length === 1 ? " result" : " results") + (found.length > most ? ", the first " + most + " shown" : "") + (loaded.size < all ? " so far" : "");
  };
  const load = number => {
    const script = element("script", { src: "assets/index-" + number + ".js" });
    script.onload = script.onerror = () => {
      const part = window.BB?.[number - 1];
      loaded.add(number);
      if (!part) return find();
      for (const row of part.rows) entries.push({ row, kind: part.kinds[row[0]], title: fold(row[2]), all: fold(row[2] + "\n" + row[3]) });
      find();
      if (number < part.files) load(number + 1);
    };
    d.body.append(script);
  };
  const restore = () => {
    try { search.value = decodeURIComponent(location.hash.slice(1)) } catch { search.value = "" }
    find();
  };
  search.addEventListener("input", () => {
    history.replaceState(null, "", "#" + encodeURIComponent(search.value));
    find();
  });
  addEventListener("hashchange", restore);
  restore();
  load(1);
  search.focus();
})();
