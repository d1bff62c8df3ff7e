"use strict";
// Text as the search compares it.
const fold = s => s.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replace(/ı/g, "i");
const element = (name, properties, ...children) => {
  const created = Object.assign(document.createElement(name), properties);
  created.append(...children);
  return created;
};

// The lightbox: the images of a cell or of a figure, one at a time.
(() => {
  const image = element("img", { alt: "" }), caption = element("p"), full = element("a", { target: "_blank", rel: "noopener" }, "Full size");
  const button = (text, action) => element("button", { type: "button", textContent: text, onclick: action });
  const previous = button("Previous", () => show(at - 1)), next = button("Next", () => show(at + 1));
  const box = element("dialog", { className: "lightbox" }, image, caption, element("div", {}, previous, next, full, button("Close", () => box.close())));
  box.setAttribute("aria-label", "Image");
  document.body.append(box);
  let links, at, back, title;
  const show = i => {
    at = (i + links.length) % links.length;
    image.src = full.href = links[at].href;
    image.alt = caption.textContent = title + (links.length > 1 ? ", image " + (at + 1) + " of " + links.length : "");
    previous.hidden = next.hidden = links.length < 2;
  };
  document.addEventListener("click", e => {
    const link = e.target.closest("td a[data-n], figure a:has(> img)");
    if (!link || e.ctrlKey || e.metaKey || e.shiftKey) return;
    e.preventDefault();
    links = [...link.closest("td, figure").querySelectorAll("a")];
    title = link.querySelector("img").alt.replace(/, image \d+ of \d+$/, "");
    back = link;
    show(links.indexOf(link));
    box.showModal();
  });
  box.addEventListener("click", e => { if (e.target === box) box.close() });
  box.addEventListener("close", () => { image.removeAttribute("src"); back.focus() });
  box.addEventListener("keydown", e => { if (e.key === "ArrowLeft") show(at - 1); if (e.key === "ArrowRight") show(at + 1) });
})();
