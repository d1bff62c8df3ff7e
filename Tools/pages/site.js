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
