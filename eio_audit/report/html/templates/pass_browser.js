/* The chosen pass, the history of an op, and the list of passes. The address has both: #pass-12/op-345. */
const passBrowser = (() => {
  const { StepView, SIGNS, count } = passView;
  const { escaped } = irText;

  /* One pass with its changed ops, its texts, and the history of one of its ops. */
  class Pane {
    constructor(view, data) {
      Object.assign(this, { view, data, views: [], pass: -1 });
      this.told = view.querySelector(".told");
      this.calm = view.querySelector(".calm");
      this.history = view.querySelector(".history");
      this.calm.addEventListener("change", () => this.keepPlace(() => {
        for (const one of this.views) {
          one.isCalm = this.calm.checked;
          one.render();
        }
      }));
      this.other = view.querySelector(".other-pass");
      this.other.addEventListener("change", () => this.compare());
      view.querySelector(".previous").addEventListener("click", () => this.turn(-1));
      view.querySelector(".next").addEventListener("click", () => this.turn(1));
      view.addEventListener("click", (event) => this.click(event));
      addEventListener("keydown", (event) => this.key(event));
      addEventListener("hashchange", () => this.follow());
      addEventListener("beforeprint", () => this.views.forEach((one) => one.fillAll()));
      view.hidden = false;
    }

    /* Shows what the address names; at first the usual pass. */
    follow() {
      const [, pass, op] = /^#pass-(\d+)(?:\/op-(\d+))?$/.exec(location.hash) ?? [];
      if (pass === undefined && this.pass >= 0) return;
      const chosen = this.data.passes[pass] ? Number(pass) : this.usual;
      if (chosen !== this.pass) this.choose(chosen);
      this.show(Number(op ?? 0));
    }

    get usual() {
      return 0;
    }

    choose(pass) {
      this.pass = pass;
      this.head(pass);
      const steps = this.data.byPass.get(pass) ?? [];
      this.lay(steps);
      if (!steps.length) {
        const { changed } = this.data.passes[pass];
        this.view.querySelector(".steps").textContent = changed === null ? "There is no dump before it to compare with." : "It changed nothing.";
      }
      this.others();
    }

    /* Shows texts side by side. */
    lay(steps) {
      const body = this.view.querySelector(".steps");
      for (const one of this.views) one.observer.disconnect();
      body.replaceChildren();
      this.views = steps.map((step) => {
        const root = document.createElement("section");
        root.id = `step-${step.number}`;
        body.append(root);
        return new StepView(this.data, step, root, this.calm.checked);
      });
      this.groups(steps);
      this.told.textContent = "";
      this.at = undefined;
    }

    /* The passes whose text shows the same as that of the chosen one. */
    others() {
      const steps = this.data.byPass.get(this.pass) ?? [];
      const passes = new Set(steps.flatMap((step) => this.data.alike(step)).map(({ pass }) => pass));
      passes.delete(this.pass);
      this.other.replaceChildren(this.other.options[0], ...[...passes].sort((a, b) => a - b).map((pass) => {
        const { name, place } = this.data.passes[pass];
        return new Option(`after ${name} (${place.replace(/^.*:/, "")})`, pass);
      }));
      this.other.value = "";
      this.other.parentElement.hidden = !passes.size;
    }

    /* Shows the text after the chosen pass beside that after another one, or the one before it. */
    compare() {
      const steps = this.data.byPass.get(this.pass) ?? [];
      const other = Number(this.other.value);
      this.lay(this.other.value === "" ? steps : steps.flatMap((step) => this.data.between(step, other)));
    }

    head(pass) {
      const { name, function: symbol, place, time, counts, order, command } = this.data.passes[pass];
      const kinds = this.data.statuses.map((status, k) => counts[k]
        ? `<span class="${status}">${SIGNS[status]}${count(counts[k])} ${status}</span>` : "").filter(Boolean);
      this.view.querySelector("h2").innerHTML = `${escaped(name)} <span class="counts">${kinds.join(" ")}</span>`;
      this.view.querySelector(".where").textContent = [symbol, place, time].filter(Boolean).join("  ");
      this.view.querySelector(".order").textContent = order;
      const line = this.view.querySelector(".command");
      line.hidden = !command;
      line.querySelector("code").textContent = command;
      line.querySelector(".copy").textContent = "Copy";
    }

    /* The changed ops by name and status; each click goes to the next of them. */
    groups(steps) {
      const groups = new Map();
      steps.forEach((step, k) => step.changes.forEach((change) => {
        const key = `${change.status} ${change.name}`;
        if (!groups.has(key)) groups.set(key, { ...change, places: [], functions: new Set() });
        groups.get(key).places.push([k, change]);
        groups.get(key).functions.add(change.function);
      }));
      const order = this.data.statuses;
      const sorted = [...groups.values()].sort((a, b) => order.indexOf(a.status) - order.indexOf(b.status) || b.places.length - a.places.length);
      this.view.querySelector(".groups").replaceChildren(...sorted.map(({ status, name, places, functions }) => {
        const button = document.createElement("button");
        button.type = "button";
        button.className = status;
        button.title = [`${count(places.length)} ${status}`, [...functions].filter(Boolean).join(", ")].filter(Boolean).join(" in ");
        button.innerHTML = `${SIGNS[status]} ${escaped(name)} <b>${count(places.length)}</b>`;
        let next = 0;
        button.addEventListener("click", () => {
          const [k, change] = places[next];
          this.goTo(this.views[k], this.views[k].rowOfOp(change.op));
          this.told.textContent = `${SIGNS[status]} ${name}: ${count(next + 1)} of ${count(places.length)}`;
          next = (next + 1) % places.length;
        });
        const item = document.createElement("li");
        item.append(button);
        return item;
      }));
    }

    goTo(view, row) {
      if (row < 0) return;
      const element = view.element(row);
      for (const one of this.views) for (const other of one.body.querySelectorAll(".here")) other.classList.remove("here");
      element.classList.add("here");
      element.scrollIntoView({ block: "center" });
      this.at = [view, row];
    }

    /* The next change of the pass, or the one before. */
    turn(by) {
      const stops = this.views.flatMap((view) => view.stops.map((row) => [view, row]));
      if (!stops.length) return;
      const [view, row] = this.at ?? [this.views[0], -1];
      const here = this.views.indexOf(view);
      const rank = ([other, at]) => this.views.indexOf(other) - here || at - row;
      const next = by > 0 ? stops.find((stop) => rank(stop) > 0) : stops.findLast((stop) => rank(stop) < 0);
      const chosen = next ?? (by > 0 ? stops[0] : stops.at(-1));
      this.goTo(...chosen);
      chosen[0].element(chosen[1]).querySelector("a.no")?.focus({ preventScroll: true });
      this.told.textContent = `change ${count(stops.indexOf(chosen) + 1)} of ${count(stops.length)}`;
    }

    /* Shows an op of the pass and its history; none for 0. */
    show(op) {
      this.at = undefined;
      for (const view of this.views) view.pick(op);
      this.history.hidden = !op;
      if (!op) return;
      this.history.replaceChildren(...this.historyOf(op));
      const view = this.views.find((one) => one.rowOfOp(op) >= 0);
      if (!view) return;
      const row = view.rowOfOp(op);
      const box = view.element(row).getBoundingClientRect();
      if (box.top < 120 || box.bottom > innerHeight * 0.6) this.goTo(view, row);
      this.at = [view, row];
    }

    historyOf(op) {
      const entries = this.data.history(op);
      const same = this.data.same(op);
      const name = entries.findLast(({ about, kind }) => same.includes(about) && kind === "own")?.change.name ?? this.nameIn(op);
      const head = document.createElement("header");
      const passes = new Set(entries.map(({ step }) => step.pass)).size;
      const { one, many } = this.view.dataset;
      head.innerHTML = `<h3>${escaped(name)}</h3> <span class="faint">${passes ? `in ${count(passes)} ${passes === 1 ? one : many}` : `no ${one} changed it`}</span>`;
      const close = document.createElement("button");
      close.type = "button";
      close.textContent = "Close";
      close.addEventListener("click", () => this.close());
      head.append(close);
      const list = document.createElement("ol");
      for (const { step, change, kind, about } of entries) {
        const item = document.createElement("li");
        const shown = kind === "made" ? change.op : about;
        const { name: called } = this.data.passes[step.pass];
        const status = kind === "own" && change.status === "removed" && change.other ? "modified" : change.status;
        const what = kind === "made" ? `became <b>${escaped(change.name)}</b>`
          : `${status === change.status ? status : "inlined"}${change.name === name && same.includes(about) ? "" : ` <b>${escaped(change.name)}</b>`}`;
        item.innerHTML = `<a href="#pass-${step.pass}/op-${shown}"><span class="${kind === "made" ? "added" : status}">${SIGNS[status]}</span> ${escaped(called)} <small>${what}</small></a>`;
        if (step.pass === this.pass && shown === op) item.firstChild.setAttribute("aria-current", "true");
        list.append(item);
      }
      return [head, list];
    }

    /* The name of an op that no pass changed, as the text has it. */
    nameIn(op) {
      for (const { before, after } of this.views)
        for (const text of [after, before]) {
          const line = text.lineOf.get(op);
          const word = line === undefined ? undefined : text.tokens(line).find(([kind]) => kind === "op");
          if (word) return word[1];
        }
      return "op";
    }

    close() {
      location.hash = `#pass-${this.pass}`;
    }

    click(event) {
      const more = event.target.closest(".more");
      if (more) return more.replaceWith(more.dataset.text);
      const other = event.target.closest(".other");
      const root = event.target.closest("section");
      const view = root && this.views.find((one) => one.root === root);
      if (other) return this.goTo(view, view.rowOf[other.dataset.side].get(Number(other.dataset.line)));
      const name = event.target.closest(".opname");
      if (name) location.hash = `#pass-${this.pass}/op-${name.dataset.op}`;
      const value = event.target.closest("[data-value]");
      if (!value) return;
      const cell = value.closest("code");
      const side = cell.classList.contains("left") ? "left" : "right";
      const { row } = value.closest(".row").dataset;
      const before = cell.getBoundingClientRect().top;
      this.told.textContent = view.mark(side, Number(value.dataset.value));
      scrollBy(0, view.element(Number(row)).getBoundingClientRect().top - before);
    }

    /* Does something that may move rows; what is in view stays there. */
    keepPlace(change) {
      const shown = this.views.flatMap((view) => [...view.body.querySelectorAll(".row[data-row]")].map((row) => [view, row]))
        .find(([, row]) => row.getBoundingClientRect().top > 100);
      const top = shown?.[1].getBoundingClientRect().top;
      change();
      if (shown && scrollY > 0) scrollBy(0, shown[0].element(Number(shown[1].dataset.row)).getBoundingClientRect().top - top);
    }

    key(event) {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input[type=search], select")) return;
      const turn = { n: 1, p: -1 }[event.key];
      if (turn) this.turn(turn);
      else if (event.key === "Escape") this.escape();
      else return;
      event.preventDefault();
    }

    escape() {
      for (const view of this.views) view.unmark();
      this.told.textContent = "";
      if (!this.history.hidden) this.close();
    }
  }

  /* The list of passes beside the chosen one. */
  class Browser extends Pane {
    constructor(root, data) {
      super(root.querySelector(".view"), data);
      this.nav = root.querySelector("nav");
      this.items = [...this.nav.querySelectorAll("li")];
      this.search = this.nav.querySelector("input[type=search]");
      this.changes = this.nav.querySelector(".changes");
      this.choice = this.nav.querySelector(".choice");
      this.output = this.nav.querySelector("output");
      for (const item of this.items) item.removeAttribute("id"); // the list stays where it is
      this.search.addEventListener("input", () => this.filter());
      this.changes.addEventListener("change", () => this.filter());
      this.choice?.addEventListener("change", () => this.filter());
      this.functions = this.nav.querySelector(".function");
      this.functions.addEventListener("change", () => this.filter());
      this.fill();
      addEventListener("click", (event) => {
        if (/^#pass-\d+$/.test(event.target.closest("a")?.hash)) this.reveal(); // also if it is the chosen one
      });
      this.nav.querySelector(".bar").hidden = false;
      root.classList.add("browsing");
      if (!this.items.some(({ classList }) => !classList.contains("unchanged") && !classList.contains("unchosen"))) this.changes.checked = false;
      this.filter();
    }

    /* Offers the functions that passes ran on or changed, if there are several. */
    fill() {
      this.ranOn = this.items.map((_, pass) => new Set([
        ...this.data.passes[pass].function.match(/@[^\s,]+/g) ?? [],
        ...(this.data.byPass.get(pass) ?? []).flatMap(({ changes }) => changes.map((change) => change.function)),
      ].filter(Boolean)));
      const names = [...new Set(this.ranOn.flatMap((names) => [...names]))].sort(new Intl.Collator("en", { numeric: true }).compare);
      this.functions.append(...names.map((name) => new Option(name)));
      this.functions.hidden = names.length < 2;
    }

    /* The words that a pass is found by: its name, its function, and the names of the ops that it changed. */
    words(pass) {
      this.texts ??= this.items.map((item, k) => {
        const names = (this.data.byPass.get(k) ?? []).flatMap(({ changes }) => changes.flatMap((change) => [change.name, change.function]));
        return [item.querySelector("a").textContent, ...new Set(names)].join("\n").toLowerCase();
      });
      return this.texts[pass];
    }

    /* Shows the passes with all words in their names; if there is none, those with all words in their IR. */
    filter() {
      const wanted = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
      const all = this.items.map((_, pass) => pass);
      const named = new Set(all.filter((pass) => wanted.every((word) => this.words(pass).includes(word))));
      const found = named.size ? named : this.data.passesWith(wanted);
      let shown = 0;
      this.items.forEach((item, pass) => {
        item.hidden = (this.changes.checked && item.classList.contains("unchanged"))
          || (this.choice?.checked && item.classList.contains("unchosen"))
          || (this.functions.value && !this.ranOn[pass].has(this.functions.value))
          || !found.has(pass);
        shown += !item.hidden;
      });
      this.output.textContent = `${count(shown)} of ${count(this.items.length)}${named.size || !shown ? "" : " by their IR"}`;
    }

    /* The pass that introduced most of what is left at the end if the list shows it, or the first of the list. */
    get usual() {
      const worst = this.items.findIndex((item) => item.classList.contains("culprit") && !item.hidden);
      return worst >= 0 ? worst : Math.max(0, this.items.findIndex((item) => !item.hidden));
    }

    choose(pass) {
      super.choose(pass);
      this.items.forEach((item, k) => {
        const link = item.querySelector("a");
        if (k === pass) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      });
      const list = this.nav.querySelector("ol");
      const box = this.items[pass].getBoundingClientRect();
      const room = list.getBoundingClientRect();
      if (box.top < room.top || box.bottom > room.bottom) list.scrollTop += box.top - room.top - room.height / 3;
      if (location.hash) this.reveal();
      this.view.dispatchEvent(new CustomEvent("choose", { detail: pass, bubbles: true }));
    }

    reveal() {
      const { top } = this.view.getBoundingClientRect();
      if (top < 0 || top > innerHeight / 2) this.view.scrollIntoView();
    }

    step(by) {
      const shown = this.items.filter((item) => !item.hidden);
      const here = shown.indexOf(this.items[this.pass]);
      const after = shown.findIndex((item) => this.items.indexOf(item) > this.pass);
      const next = here >= 0 ? here + by : by > 0 ? after : (after < 0 ? shown.length : after) - 1;
      const link = shown[next]?.querySelector("a");
      if (!link) return;
      history.replaceState(null, "", link.hash);
      this.follow();
      if (this.nav.contains(document.activeElement) && document.activeElement !== this.search) link.focus({ preventScroll: true });
    }

    key(event) {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.target.matches("select")) return;
      const isTyping = event.target.matches("input[type=search]");
      const isInList = this.nav.contains(event.target);
      const step = (!isTyping && { j: 1, k: -1 }[event.key]) || (isInList && { ArrowDown: 1, ArrowUp: -1 }[event.key]);
      if (step) this.step(step);
      else if (event.key === "/" && !isTyping) this.search.focus();
      else return super.key(event);
      event.preventDefault();
      event.stopImmediatePropagation();
    }
  }

  const root = document.getElementById("browser");
  const pair = document.getElementById("pair");
  const data = document.getElementById("passes-data");
  if (data && "DecompressionStream" in window)
    stepData.unpacked(data.textContent).then((steps) => {
      const pane = root ? new Browser(root, steps) : new Pane(pair.querySelector(".view"), steps);
      pane.follow();
      steps.prepare();
    });
})();
