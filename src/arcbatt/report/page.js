(() => {
  "use strict";
  const byId = (id) => document.getElementById(id);
  const tasks = [...document.querySelectorAll(".task")];
  const programs = [...document.querySelectorAll(".program")];
  const sections = [...document.querySelectorAll("section.list")];
  const filter = byId("filter");
  const digits = byId("digits");
  const shown = byId("shown");

  // Every word must be found; counts say how many of those on the page are left.
  const applyFilter = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const item of [...tasks, ...programs]) {
      item.hidden = !words.every((word) => item.dataset.find.includes(word));
    }
    const left = (items) => items.filter((item) => !item.hidden).length.toLocaleString("en");
    for (const section of sections) {
      const count = section.querySelector(".count");
      count.dataset.all ??= count.textContent;
      const items = [...section.querySelectorAll(":scope > .item")];
      count.textContent = words.length ? `${left(items)} of ${count.dataset.all}` : count.dataset.all;
      document.querySelector(`nav a[href="#${section.id}"] b`).textContent = count.textContent;
    }
    const of = (items, what) => `${left(items)} of ${items.length.toLocaleString("en")} ${what}`;
    const parts = [of(tasks, "tasks"), ...(programs.length ? [of(programs, "programs")] : [])];
    shown.textContent = words.length ? parts.join(", ") : "";
  };

  // Items of every section in another order: by id from a to z, by numbers from high to low, or as they came.
  const sorter = (items, select) => {
    const order = new Map(items.map((item, place) => [item, place]));
    const compare = (key) => (one, two) => {
      const [a, b] = [one.dataset[key], two.dataset[key]];
      const way = key === "id" ? (a < b ? -1 : a > b ? 1 : 0) : Number(b) - Number(a);
      return way || order.get(one) - order.get(two);
    };
    const places = new Map();
    for (const item of items) {
      if (!places.has(item.parentElement)) places.set(item.parentElement, []);
      places.get(item.parentElement).push(item);
    }
    return () => {
      const sorted = select.value ? compare(select.value) : (one, two) => order.get(one) - order.get(two);
      for (const [place, group] of places) {
        const mark = document.createComment("");
        place.querySelector(":scope > .item").before(mark);
        mark.replaceWith(...group.sort(sorted));
      }
    };
  };

  // Digits over the cells of open tasks, taken from each grid's text alternative.
  const drawDigits = (task) => {
    if (!digits.checked || !task.open || task.dataset.digits) return;
    task.dataset.digits = "drawn";
    for (const svg of task.querySelectorAll("svg.g")) {
      const rows = /\d+ x \d+: ([\d ]+)(;|$)/.exec(svg.getAttribute("aria-label"))[1].split(" ");
      const group = document.createElementNS(svg.namespaceURI, "g");
      rows.forEach((row, i) => [...row].forEach((digit, j) => {
        const text = document.createElementNS(svg.namespaceURI, "text");
        text.setAttribute("class", `i${digit}`);
        text.setAttribute("x", j + 0.5);
        text.setAttribute("y", i);
        text.textContent = digit;
        group.append(text);
      }));
      const marks = svg.querySelector(".mo");
      if (marks) svg.insertBefore(group, marks);
      else svg.append(group);
    }
  };

  const removeDigits = () => {
    for (const task of tasks) {
      if (!task.dataset.digits) continue;
      delete task.dataset.digits;
      task.querySelectorAll("svg.g > g").forEach((group) => group.remove());
    }
  };

  const openTarget = () => {
    const place = byId(decodeURIComponent(location.hash.slice(1)));
    if (!place || !place.matches(".item")) return;
    place.hidden = false;
    place.open = true;
    place.scrollIntoView();
  };

  const sorted = [[tasks, byId("sort")], [programs, byId("sort-programs")]];
  for (const [items, select] of sorted) {
    if (!select) continue;
    const apply = sorter(items, select);
    select.addEventListener("change", apply);
    apply(); // browsers put back what was chosen before a reload, as they do with what was typed
  }
  filter.addEventListener("input", applyFilter);
  digits.addEventListener("change", () => (digits.checked ? tasks.forEach(drawDigits) : removeDigits()));
  for (const task of tasks) task.addEventListener("toggle", () => drawDigits(task));
  window.addEventListener("hashchange", openTarget);
  document.querySelectorAll(".tools").forEach((tools) => { tools.hidden = false; });
  applyFilter();
  openTarget();
  tasks.forEach(drawDigits);
})();
