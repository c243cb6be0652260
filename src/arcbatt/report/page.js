(() => {
  "use strict";
  const tasks = [...document.querySelectorAll(".task")];
  const filter = document.getElementById("filter");
  const digits = document.getElementById("digits");
  const shown = document.getElementById("shown");
  const texts = new Map();

  // The text of a task, read once: its id, verdicts and programs.
  const textOf = (task) => {
    if (!texts.has(task)) texts.set(task, task.textContent.toLowerCase());
    return texts.get(task);
  };

  const applyFilter = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const task of tasks) {
      const hit = words.every((word) => textOf(task).includes(word));
      task.hidden = !hit;
      count += hit;
    }
    shown.textContent = words.length ? `${count} of ${tasks.length} tasks` : "";
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
    const place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!place || !place.matches(".task")) return;
    place.hidden = false;
    place.open = true;
    place.scrollIntoView();
  };

  filter.addEventListener("input", applyFilter);
  digits.addEventListener("change", () => (digits.checked ? tasks.forEach(drawDigits) : removeDigits()));
  for (const task of tasks) task.addEventListener("toggle", () => drawDigits(task));
  window.addEventListener("hashchange", openTarget);
  document.querySelector(".tools").hidden = false;
  openTarget();
  applyFilter(); // browsers put back what was typed before a reload
  tasks.forEach(drawDigits);
})();
