(() => {
  "use strict";
  const part = document.getElementById("part");
  const trouble = document.getElementById("trouble");
  let tag = "";
  let timer = 0;

  // Puts the new part in place of the old one; what was unfolded, scrolled and focused stays so.
  const show = (text) => {
    const open = [...part.querySelectorAll("details[open]")].map((one) => one.id);
    const list = part.querySelector(".runs");
    const scrolled = list ? list.scrollTop : 0;
    const focused = part.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
    part.innerHTML = text;
    for (const id of open) {
      const again = document.getElementById(id);
      if (again) again.open = true;
    }
    if (part.querySelector(".runs")) part.querySelector(".runs").scrollTop = scrolled;
    if (focused) [...part.querySelectorAll("a")].find((one) => one.getAttribute("href") === focused)?.focus();
  };

  const ask = async () => {
    const address = new URL(location.href);
    address.searchParams.set("part", "1");
    address.hash = "";
    try {
      const answer = await fetch(address, { headers: tag ? { "If-None-Match": tag } : {} });
      if (answer.status === 200) {
        tag = answer.headers.get("ETag") || "";
        show(await answer.text());
      }
      trouble.hidden = answer.status === 200 || answer.status === 304;
    } catch {
      trouble.hidden = false;
    }
    plan();
  };

  const plan = () => {
    clearTimeout(timer);
    const frame = part.querySelector(".frame");
    const seconds = frame ? Number(frame.dataset.seconds) : 10;
    if (!document.hidden) timer = setTimeout(ask, 1000 * seconds);
  };

  document.addEventListener("visibilitychange", () => (document.hidden ? clearTimeout(timer) : ask()));
  plan();
})();
