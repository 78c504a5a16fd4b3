/* What makes pages handier where there is JavaScript. Everything works without it. */

const box = document.querySelector("input[data-suggest]");
if (box) {
  suggestTo(box);
  document.addEventListener("keydown", (event) => {
    const isWriting = event.target.closest("input, textarea, select, [contenteditable]");
    if (event.key === "/" && !isWriting && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      box.focus();
      box.select();
    }
  });
}

offerToCopy(document);

/* What takes the server long is loaded when it comes into view: the link leads to a page with it. */
const loading = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (!entry.isIntersecting) continue;
    loading.unobserve(entry.target);
    load(entry.target);
  }
}, { rootMargin: "200px" });
for (const link of document.querySelectorAll("a[data-loads]")) loading.observe(link);

async function load(link) {
  try {
    const answer = await fetch(link.href);
    if (!answer.ok) return; // the link is still there
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const part = document.adoptNode(page.getElementById(link.dataset.loads));
    offerToCopy(part);
    const hadFocus = document.activeElement === link;
    link.parentElement.replaceWith(part);
    if (hadFocus) {
      part.tabIndex = -1;
      part.focus();
    }
  } catch {
    return;
  }
}

function offerToCopy(root) {
  for (const button of root.querySelectorAll("button[data-copies]")) {
    if (!navigator.clipboard) continue; // browsers give it to safe addresses only
    const words = button.textContent;
    button.hidden = false;
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(document.getElementById(button.dataset.copies).textContent.trim());
      } catch {
        return; // not allowed: the words are still there to be marked by hand
      }
      button.textContent = button.dataset.done;
      setTimeout(() => { button.textContent = words; }, 2000);
    });
  }
}

/* The box as a combobox with a list below it, as WAI-ARIA describes it. */
function suggestTo(input) {
  const list = document.createElement("ul");
  const told = document.createElement("p");
  let chosen = -1, written = input.value, waiting = 0, asking = null;
  list.id = `${input.id}-offers`;
  list.className = "offers";
  list.hidden = true;
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", input.labels[0] ? input.labels[0].textContent : "");
  told.className = "hidden";
  told.setAttribute("role", "status");
  input.setAttribute("role", "combobox");
  input.setAttribute("aria-autocomplete", "list");
  input.setAttribute("aria-expanded", "false");
  input.setAttribute("aria-controls", list.id);
  input.form.append(list, told);

  const close = () => {
    list.hidden = true;
    chosen = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };

  const show = ([, values, about, addresses]) => {
    list.replaceChildren(...values.map((value, place) => {
      const offer = document.createElement("li");
      const words = document.createElement("bdi");
      const hint = document.createElement("span");
      words.textContent = value;
      hint.textContent = about[place];
      offer.id = `${list.id}-${place}`;
      offer.dataset.address = addresses[place];
      offer.setAttribute("role", "option");
      offer.setAttribute("aria-selected", "false");
      offer.append(words, hint);
      return offer;
    }));
    chosen = -1;
    list.hidden = values.length === 0;
    input.setAttribute("aria-expanded", String(values.length > 0));
    input.removeAttribute("aria-activedescendant");
    told.textContent = input.dataset.count.replace("{count}", String(values.length));
  };

  const ask = async () => {
    asking?.abort();
    asking = new AbortController();
    const collection = input.form.elements.namedItem("collection");
    const query = new URLSearchParams({ q: input.value });
    if (collection) query.set("collection", collection.value);
    try {
      const answer = await fetch(`${input.dataset.suggest}?${query}`, { signal: asking.signal });
      if (answer.ok) show(await answer.json());
    } catch {
      close(); // the network, or a newer question
    }
  };

  const choose = (place) => {
    const offers = [...list.children];
    if (offers.length === 0) return;
    chosen = (place + offers.length + 1) % (offers.length + 1); // one place is the box itself
    if (chosen === offers.length) chosen = -1;
    offers.forEach((offer, at) => offer.setAttribute("aria-selected", String(at === chosen)));
    if (chosen < 0) {
      input.removeAttribute("aria-activedescendant");
      input.value = written;
    } else {
      input.setAttribute("aria-activedescendant", offers[chosen].id);
      offers[chosen].scrollIntoView({ block: "nearest" });
    }
  };

  const go = (offer) => {
    const address = new URL(offer.dataset.address);
    location.assign(address.pathname + address.search); // this site, by whatever address it was reached
  };

  input.addEventListener("input", () => {
    written = input.value;
    clearTimeout(waiting);
    if (written.trim().length < 2) close();
    else waiting = setTimeout(ask, 120);
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !list.hidden) {
      event.preventDefault();
      close();
    } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && !list.hidden) {
      event.preventDefault();
      choose(event.key === "ArrowDown" ? chosen + 1 : chosen < 0 ? list.children.length - 1 : chosen - 1);
    } else if (event.key === "Enter" && !list.hidden && chosen >= 0) {
      event.preventDefault();
      go(list.children[chosen]);
    }
  });
  input.addEventListener("blur", () => setTimeout(close, 150));
  list.addEventListener("mousedown", (event) => {
    const offer = event.target.closest("[role=option]");
    if (offer) {
      event.preventDefault();
      go(offer);
    }
  });
}
