// The map: markers that would cover each other are one, and labels are shown where they are free, after each zoom.
for (const svg of document.querySelectorAll("svg.map")) {
  const make = (name, attributes, ...children) => {
    const created = document.createElementNS(svg.namespaceURI, name);
    for (const [key, value] of Object.entries(attributes)) created.setAttribute(key, typeof value === "number" ? +value.toFixed(2) : value);
    created.append(...children);
    return created;
  };
  const places = [...svg.querySelectorAll("a")].map(link => {
    const [lon, lat] = link.dataset.at.split(" ").map(Number);
    return { link, lon, lat, name: link.querySelector("title").textContent, circle: link.querySelector("circle"), text: link.querySelector("text") };
  });
  const start = svg.dataset.view.split(" ").map(Number), [land, lines, clusters, scale] = [".land", ".lines", ".clusters", ".scale"].map(x => svg.querySelector(x));
  let [west, north, width] = start, plot, unit = 1, drag;
  const turn = lon => ((lon % 360) + 360) % 360;
  const point = p => [plot.x + turn(p.lon - west) / width * plot.width, plot.y + (north - p.lat) / width * plot.width];
  const isInside = ([x, y], edge = 0) => x >= plot.x + edge && x <= plot.x + plot.width - edge && y >= plot.y + edge && y <= plot.y + plot.height - edge;
  const meets = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];

  // A marker where the frame does not cut it.
  const within = (n, from, length, room) => Math.min(from + length - room, Math.max(from + room, n));
  const made = (x, y, members, radius) => ({ x: within(x, plot.x, plot.width, radius + unit), y: within(y, plot.y, plot.height, radius + unit), members, radius });
  const group = radius => {
    const groups = [];
    for (const p of places) {
      if (!isInside(point(p))) continue;
      let group = made(...point(p), [p], radius);
      for (let i; (i = groups.findIndex(g => Math.hypot(g.x - group.x, g.y - group.y) < g.radius + group.radius)) >= 0;) {
        const [g] = groups.splice(i, 1), share = group.members.length / (g.members.length + group.members.length);
        group = made(g.x + (group.x - g.x) * share, g.y + (group.y - g.y) * share, [...g.members, ...group.members], radius * 1.6);
      }
      groups.push(group);
    }
    return groups;
  };
  const steps = [60, 30, 20, 10, 5, 2, 1, .5, .2, .1, .05, .02, .01, .005, .002, .001, .0005, .0002];
  const grid = (low, high) => {
    for (const step of steps) {
      const found = [];
      for (let i = Math.ceil(low / step); i * step <= high; i++) found.push([i * step, Math.max(0, -Math.floor(Math.log10(step) + 1e-9))]);
      if (found.length >= 3) return found;
    }
    return [];
  };
  const degrees = (value, digits, positive, negative) => {
    const text = Math.abs(value).toFixed(digits);
    return text + "°" + (+text === 0 || positive === "E" && +text === 180 ? "" : value > 0 ? " " + positive : " " + negative);
  };
  const draw = () => {
    unit = 1 / (svg.getScreenCTM()?.a || 1);
    const tall = width / 2, columns = grid(west, west + width), rows = grid(Math.max(north - tall, -90), Math.min(north, 90));
    const longest = Math.max(0, ...rows.map(([value, digits]) => degrees(value, digits, "N", "S").length));
    const left = Math.max(58, 13 + longest * 7.4) * unit, foot = 44 * unit, top = 10 * unit, high = (1000 - left - 8) / 2;
    plot = { x: left, y: top, width: 1000 - left - 8, height: high };
    svg.setAttribute("viewBox", `0 0 1000 ${(high + top + foot).toFixed(2)}`);
    svg.setAttribute("font-size", 13 * unit);
    for (const rect of svg.querySelectorAll(".sea, .frame")) for (const [key, value] of Object.entries(plot)) rect.setAttribute(key, value);
    for (const [key, value] of Object.entries(plot)) land.setAttribute(key, value);
    land.setAttribute("viewBox", [(west + 180) * 10, (90 - north) * 10, width * 10, tall * 10].map(n => n.toFixed(4)).join(" "));
    lines.replaceChildren();
    // Labels of lines that are too near to others are omitted.
    const named = [], name = (text, x, y, anchor) => {
      const long = text.length * 7.4 * unit, right = anchor === "end" ? x : x + long / 2, box = [right - long, y - 12 * unit, right + 3 * unit, y + 4 * unit];
      if (box[0] < 0 || right > 1000 || named.some(b => meets(b, box))) return;
      named.push(box);
      lines.append(make("text", { x, y, "text-anchor": anchor }, text));
    };
    for (const [value, digits] of rows) {
      const y = plot.y + (north - value) / width * plot.width;
      lines.append(make("line", { x1: plot.x, x2: plot.x + plot.width, y1: y, y2: y }));
      name(degrees(value, digits, "N", "S"), plot.x - 5 * unit, y + 4 * unit, "end");
    }
    for (const [value, digits] of columns) {
      const x = plot.x + (value - west) / width * plot.width;
      lines.append(make("line", { x1: x, x2: x, y1: plot.y, y2: plot.y + high }));
      name(degrees(turn(value + 180) - 180, digits, "E", "W"), x, plot.y + high + 15 * unit, "middle");
    }
    const kilometres = width * 111.195 * Math.max(Math.cos((north - tall / 2) * Math.PI / 180), .001) / plot.width * 160 * unit;
    const power = 10 ** Math.floor(Math.log10(kilometres)), long = [5, 2, 1].find(n => n * power <= kilometres) * power;
    const bar = long / kilometres * 160 * unit, y = plot.y + high + 33 * unit;
    scale.replaceChildren(make("path", { d: `M${plot.x} ${y - 5 * unit}v${5 * unit}h${bar}v${-5 * unit}` }),
      make("text", { x: plot.x + bar + 6 * unit, y }, long < 1 ? Math.round(long * 1000) + " m" : long.toLocaleString("en") + " km"));

    const radius = 7 * unit, groups = group(radius), boxes = groups.map(g => [g.x - g.radius, g.y - g.radius, g.x + g.radius, g.y + g.radius]);
    const shown = new Map(groups.filter(g => g.members.length === 1).map(g => [g.members[0], g]));
    clusters.replaceChildren();
    for (const g of groups.filter(g => g.members.length > 1)) {
      const names = g.members.slice(0, 10).map(m => m.name).join(", ") + (g.members.length > 10 ? ` and ${g.members.length - 10} more` : "");
      const mark = make("g", { class: "cluster", role: "button", tabindex: "0", "aria-label": `${g.members.length} places: ${names}` },
        make("circle", { cx: g.x, cy: g.y, r: g.radius }), make("title", {}, names),
        make("text", { class: "count", x: g.x, y: g.y + 4.5 * unit, "text-anchor": "middle", "aria-hidden": "true" }, String(g.members.length)));
      mark.addEventListener("click", () => open(g));
      mark.addEventListener("keydown", e => { if (e.key === "Enter" || e.key === " ") { e.preventDefault(); open(g) } });
      clusters.append(mark);
    }
    const taken = [];
    for (const p of places) {
      const g = shown.get(p);
      p.link.setAttribute("visibility", g ? "visible" : "hidden");
      p.text.setAttribute("visibility", "hidden");
      if (!g) continue;
      for (const [key, value] of [["cx", g.x], ["cy", g.y], ["r", g.radius]]) p.circle.setAttribute(key, value.toFixed(2));
      const long = p.text.getComputedTextLength(), gap = g.radius + 4 * unit, height = 17 * unit;
      const ways = [["start", gap, 4.5 * unit, 0, -height / 2], ["end", -gap, 4.5 * unit, -long, -height / 2],
        ["middle", 0, -gap - 3 * unit, -long / 2, -gap - height + unit], ["middle", 0, gap + 12 * unit, -long / 2, gap - unit]];
      for (const [anchor, dx, dy, boxX, boxY] of ways) {
        const x = g.x + (anchor === "middle" ? 0 : dx) + boxX, y = g.y + boxY, box = [x, y, x + long, y + height];
        if (!isInside([box[0], box[1]], unit) || !isInside([box[2], box[3]], unit)) continue;
        if (boxes.some((b, i) => groups[i] !== g && meets(b, box)) || taken.some(b => meets(b, box))) continue;
        for (const [key, value] of [["text-anchor", anchor], ["visibility", "visible"]]) p.text.setAttribute(key, value);
        p.text.setAttribute("x", (g.x + dx).toFixed(2));
        p.text.setAttribute("y", (g.y + dy).toFixed(2));
        taken.push(box);
        break;
      }
    }
  };

  const middle = some => {
    // The middle of the arc that the places cover, as it is seen.
    const xs = some.map(p => turn(p.lon - west)), ys = some.map(p => p.lat);
    return [west + (Math.min(...xs) + Math.max(...xs)) / 2, (Math.min(...ys) + Math.max(...ys)) / 2];
  };
  const look = (lon, lat, wide) => {
    width = Math.min(360, Math.max(.004, wide));
    const tall = width / 2;
    north = tall >= 180 ? 90 : Math.min(90 + tall * .05, Math.max(-90 - tall * .05 + tall, lat + tall / 2));
    west = width >= 360 ? start[2] >= 360 ? start[0] : lon - 180 : lon - width / 2;
    draw();
  };
  const zoom = (factor, at) => {
    const seen = places.filter(p => isInside(point(p)));
    let [lon, lat] = at || (seen.length ? middle(seen) : [west + width / 2, north - width / 4]);
    if (!at && factor < 1 && seen.length) {
      const near = p => Math.hypot(turn(p.lon - lon + 180) - 180, p.lat - lat), nearest = seen.reduce((a, b) => near(b) < near(a) ? b : a);
      // If the middle is an empty part of the map, the nearest place is.
      if (Math.abs(turn(nearest.lon - lon + 180) - 180) > width * factor * .45 || Math.abs(nearest.lat - lat) > width * factor * .22) [lon, lat] = [nearest.lon, nearest.lat];
    }
    if (at) {
      // The point under the pointer stays there.
      const [dx, dy] = [at[0] - west - width / 2, at[1] - north + width / 4], wide = Math.min(360, Math.max(.004, width * factor)), f = wide / width;
      return look(at[0] - dx * f, at[1] - dy * f, wide);
    }
    look(lon, lat, width * factor);
  };
  const list = element("ul");
  list.setAttribute("aria-live", "polite");
  const open = g => {
    const xs = g.members.map(m => turn(m.lon - west)), ys = g.members.map(m => m.lat);
    const span = Math.max(Math.max(...xs) - Math.min(...xs), 2 * (Math.max(...ys) - Math.min(...ys)));
    if (span > .0005) return look(...middle(g.members), Math.min(span * 1.5, width * .7));
    list.replaceChildren(...g.members.map(m => element("li", {}, element("a", { href: m.link.getAttribute("href"), rel: "noopener" }, m.name))));
  };
  const at = e => {
    const p = new DOMPoint(e.clientX, e.clientY).matrixTransform(svg.getScreenCTM().inverse());
    return [west + (p.x - plot.x) / plot.width * width, north - (p.y - plot.y) / plot.width * width];
  };
  const button = (sign, label, action) => {
    const made = element("button", { type: "button", textContent: sign, onclick: action });
    made.setAttribute("aria-label", label);
    return made;
  };
  svg.after(element("div", { className: "zoom" }, button("+", "Zoom in", () => zoom(.5)), button("−", "Zoom out", () => zoom(2)),
    button("⌂", "All places", () => { [west, north, width] = start; list.replaceChildren(); draw() }), list));
  svg.addEventListener("wheel", e => {
    if (!e.ctrlKey && !e.metaKey) return;
    e.preventDefault();
    zoom(e.deltaY > 0 ? 1.2 : 1 / 1.2, at(e));
  }, { passive: false });
  svg.addEventListener("dblclick", e => zoom(.5, at(e)));
  svg.addEventListener("pointerdown", e => {
    if (e.target.closest("a, .cluster") || e.pointerType === "touch") return;
    drag = at(e);
    svg.setPointerCapture(e.pointerId);
  });
  svg.addEventListener("pointermove", e => {
    if (!drag) return;
    const [lon, lat] = at(e);
    look(west + width / 2 + drag[0] - lon, north - width / 4 + drag[1] - lat, width);
  });
  svg.addEventListener("pointerup", () => { drag = null });
  addEventListener("resize", draw);
  svg.closest("details")?.addEventListener("toggle", draw);
  draw();
}
