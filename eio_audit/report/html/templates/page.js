"use strict";
(() => {
  const ROWS = 100;
  const FEW = 8; // rows that need no filter
  const LABEL_HEIGHT = 15;
  const REACH = 14;
  const PARTNERS = 6;
  const COLLATOR = new Intl.Collator("en", { numeric: true });

  const island = (id) => JSON.parse(document.getElementById(id).textContent);

  function element(name, properties, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  }

  async function copy(text, button) {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(button.parentElement.querySelector("code"));
      button.textContent = document.execCommand("copy") ? "Copied" : "Selected";
    }
  }

  /* Copies the command beside it, whatever that is by then. */
  function copyButton() {
    const button = element("button", { type: "button", className: "copy", textContent: "Copy" });
    button.addEventListener("click", () => copy(button.parentElement.querySelector("code").textContent, button));
    return button;
  }

  /* What a word means is shown beside it while it has the pointer or the focus. */
  function explain(word) {
    const meaning = document.getElementById(word.getAttribute("aria-describedby"));
    const show = () => {
      meaning.showPopover();
      const at = word.getBoundingClientRect();
      const box = meaning.getBoundingClientRect();
      const below = at.bottom + 6 + box.height < innerHeight;
      meaning.style.top = `${below ? at.bottom + 6 : at.top - 6 - box.height}px`;
      meaning.style.left = `${Math.max(12, Math.min(at.left, innerWidth - box.width - 12))}px`;
    };
    const hide = () => meaning.hidePopover();
    word.popoverTargetAction = "show";
    word.addEventListener("pointerenter", show);
    word.addEventListener("focus", show);
    word.addEventListener("click", show);
    word.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && hide());
    word.addEventListener("blur", hide);
  }

  /* A table whose rows are data: sorted, filtered, and shown a page at a time. */
  class Table {
    constructor(root) {
      this.root = root;
      const { columns, marked, sorting, links } = island(root.dataset.rows);
      this.columns = columns;
      this.number = Object.fromEntries(columns.map(({ key }, number) => [key, number]));
      this.marked = this.number[marked];
      this.size = columns[0].values.length;
      this.sorting = sorting;
      [this.linked, this.links] = links ?? [];
      this.page = 0;
      this.body = root.querySelector("tbody");
      this.search = root.querySelector("input[type=search]");
      this.only = root.querySelector("input[type=checkbox]");
      this.headers = [...root.querySelectorAll("th")];
      [this.previous, this.next] = root.querySelectorAll(".pages button");
      this.search.addEventListener("input", () => this.update());
      this.only?.addEventListener("change", () => this.update());
      this.headers.forEach((header, column) =>
        header.firstChild.addEventListener("click", () => this.sort(column)));
      this.previous.addEventListener("click", () => this.turn(this.page - 1));
      this.next.addEventListener("click", () => this.turn(this.page + 1));
      root.querySelector(".bar").hidden = this.size <= FEW && !this.only;
      this.update();
    }

    cell(column, row) {
      const { strings, values } = this.columns[column];
      return strings ? strings[values[row]] : values[row];
    }

    get(key, row) {
      return this.cell(this.number[key], row);
    }

    /* A cell as it is shown: numbers have commas, except those of lines. */
    shown(column, row) {
      const value = this.cell(column, row) ?? "";
      const { number, key } = this.columns[column];
      return number && value !== "" && !key.startsWith("line") ? value.toLocaleString("en") : value;
    }

    words(row) {
      this.texts ??= new Array(this.size);
      return (this.texts[row] ??= this.columns.map((_, c) => `${this.cell(c, row) ?? ""}\t${this.shown(c, row)}`).join("\t").toLowerCase());
    }

    sort(column) {
      const [first, falls] = this.sorting[0];
      const descending = first === column ? !falls : Boolean(this.columns[column].number);
      this.sorting = [[column, descending], ...this.sorting.filter(([other]) => other !== column)];
      this.update();
    }

    update() {
      const wanted = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
      const rows = [];
      for (let row = 0; row < this.size; row++) {
        if (this.only?.checked && !this.cell(this.marked, row)) continue;
        if (wanted.every((word) => this.words(row).includes(word))) rows.push(row);
      }
      const comparing = this.sorting.map(([column, falls]) => (a, b) => {
        const [x, y] = [this.cell(column, a), this.cell(column, b)];
        if ((x ?? "") === "" || (y ?? "") === "") return ((x ?? "") === "") - ((y ?? "") === "");
        return (this.columns[column].number ? x - y : COLLATOR.compare(x, y)) * (falls ? -1 : 1);
      });
      rows.sort((a, b) => {
        for (const compare of comparing) {
          const order = compare(a, b);
          if (order) return order;
        }
        return a - b;
      });
      const [column, descending] = this.sorting[0];
      this.rows = rows;
      this.headers.forEach((header, c) => {
        if (c === column) header.setAttribute("aria-sort", descending ? "descending" : "ascending");
        else header.removeAttribute("aria-sort");
      });
      this.turn(0);
    }

    turn(page) {
      this.page = page;
      const start = page * ROWS;
      const shown = this.rows.slice(start, start + ROWS);
      this.body.replaceChildren(...shown.map((row) => this.line(row)));
      this.previous.disabled = page === 0;
      this.next.disabled = start + ROWS >= this.rows.length;
      this.next.parentElement.hidden = this.rows.length <= ROWS;
      const range = shown.length ? `${start + 1} to ${start + shown.length} of ` : "";
      const all = this.rows.length < this.size ? ` (${this.size.toLocaleString("en")} in all)` : "";
      this.root.querySelector("output").textContent = `${range}${this.rows.length.toLocaleString("en")} rows${all}`;
      this.root.querySelector(".scroll").scrollTop = 0;
    }

    line(row) {
      const cells = this.columns.map((column, c) => {
        const value = this.cell(c, row);
        const text = this.shown(c, row);
        const cell = element("td", { className: `${column.key}${column.number ? " number" : ""}` });
        if (column.most) {
          cell.classList.add("part");
          cell.style.setProperty("--part", value / column.most);
        }
        const href = c === this.linked && this.links[row];
        if (href) cell.append(element("a", { href, textContent: text }));
        else cell.append(c === this.marked ? element("span", { className: value, textContent: value }) : text);
        return cell;
      });
      const line = element("tr", {}, ...cells);
      line.dataset.row = row;
      if (this.pick) {
        line.tabIndex = 0;
        line.classList.toggle("picked", row === this.picked);
        line.addEventListener("click", () => this.pick(row));
        line.addEventListener("keydown", (event) => {
          if (event.key !== "Enter" && event.key !== " ") return;
          event.preventDefault();
          this.pick(row);
        });
      }
      return line;
    }

    mark(row) {
      this.picked = row;
      for (const line of this.body.rows) line.classList.toggle("picked", Number(line.dataset.row) === row);
    }
  }

  /* The slope picture: the server drew it; here it is zoomed, by its viewBox alone, and pointed at. */
  class Picture {
    constructor(root, table) {
      this.root = root;
      this.table = table;
      Object.assign(this, island(root.dataset.places));
      this.byOriginal = [];
      this.byStanding = [];
      this.original.forEach((place, row) => {
        if (place < 0) return;
        this.byOriginal[place] = row;
        this.byStanding[this.standing[row]] = row;
      });
      this.size = this.byOriginal.length;
      this.stage = root.querySelector(".stage");
      this.svg = root.querySelector("svg.lines");
      this.view = root.querySelector(".map .view");
      this.tip = element("div", { className: "tip", hidden: true });
      this.stage.append(this.tip);
      this.detail = root.querySelector(".detail");
      for (const button of root.querySelectorAll("[data-filter]")) {
        button.disabled = false;
        button.addEventListener("click", () => this.filter(button));
      }
      this.svg.addEventListener("mousemove", (event) => this.hover(event));
      this.svg.addEventListener("mouseleave", () => this.point());
      this.svg.addEventListener("click", (event) => {
        const row = this.nearest(event);
        if (row !== undefined) this.pick(row, false);
      });
      this.stage.addEventListener("keydown", (event) => this.key(event));
      const tools = { whole: [0, this.size], nearer: 0.5, wider: 2, up: -0.5, down: 0.5 };
      for (const [name, step] of Object.entries(tools)) {
        root.querySelector(`button.${name}`).addEventListener("click", () => {
          if (name === "whole") this.show(...step);
          else if (name === "up" || name === "down") this.show(this.start + step * this.span, this.span);
          else this.zoom(step);
        });
      }
      root.querySelector(".map")?.addEventListener("click", (event) => {
        const box = event.currentTarget.getBoundingClientRect();
        this.show(((event.clientY - box.top) / box.height) * this.size - this.span / 2, this.span);
      });
      root.querySelector(".tools").hidden = this.detail.hidden = false;
      table.pick = (row) => this.pick(row);
      table.turn(table.page);
      if (this.view) this.around(table.rows[0]);
      else this.show(0, this.size);
      addEventListener("resize", () => this.label());
    }

    show(start, span) {
      this.span = Math.min(Math.max(span, Math.min(10, this.size)), this.size);
      this.start = Math.min(Math.max(start, 0), this.size - this.span);
      this.svg.setAttribute("viewBox", `0 ${this.start} 100 ${this.span}`);
      this.view?.setAttribute("y", this.start);
      this.view?.setAttribute("height", this.span);
      this.label();
    }

    /* Shows only the ops of one kind in the table, or again all. */
    filter(button) {
      const { search } = this.table;
      const chosen = search.value === button.dataset.filter ? "" : button.dataset.filter;
      search.value = chosen;
      for (const other of this.root.querySelectorAll("[data-filter]"))
        other.setAttribute("aria-pressed", other.dataset.filter === chosen);
      this.table.update();
    }

    zoom(factor) {
      const middle = this.start + this.span / 2;
      this.show(middle - (this.span * factor) / 2, this.span * factor);
    }

    label() {
      const height = this.svg.getBoundingClientRect().height;
      const pixels = height / this.span;
      this.svg.classList.toggle("far", pixels < 1);
      const step = Math.max(1, Math.ceil(LABEL_HEIGHT / pixels));
      for (const [side, rows] of [[".left", this.byOriginal], [".right", this.byStanding]]) {
        const labels = [];
        for (let place = Math.ceil(this.start / step) * step; place < this.start + this.span && place < this.size; place += step) {
          const row = rows[place];
          const name = this.table.get("op", row);
          const textContent = side === ".left" ? name.split(" ", 1)[0] : name;
          const label = element("span", { textContent, className: this.table.get("disorder", row) });
          label.classList.toggle("picked", row === this.picked);
          label.style.top = `${(place + 0.5 - this.start) * pixels}px`;
          labels.push(label);
        }
        this.root.querySelector(`.labels${side}`).replaceChildren(...labels);
      }
    }

    nearest(event) {
      const box = this.svg.getBoundingClientRect();
      const x = (event.clientX - box.left) / box.width;
      const y = (event.clientY - box.top) / box.height * this.span + this.start - 0.5;
      const pixels = box.height / this.span;
      let best;
      let least = REACH;
      for (let row = 0; row < this.original.length; row++) {
        if (this.original[row] < 0) continue;
        const line = this.original[row] + (this.standing[row] - this.original[row]) * x;
        const handicap = this.table.get("disorder", row) ? 0 : REACH / 2;
        const distance = Math.abs(line - y) * pixels + handicap;
        if (distance < least) [best, least] = [row, distance];
      }
      return best;
    }

    hover(event) {
      const row = this.nearest(event);
      this.point(row);
      if (row === undefined) return;
      this.tip.textContent = this.describe(row);
      const box = this.stage.getBoundingClientRect();
      const left = Math.min(event.clientX - box.left + 14, box.width - this.tip.offsetWidth);
      this.tip.style.left = `${Math.max(left, 0)}px`;
      this.tip.style.top = `${event.clientY - box.top + 18}px`;
    }

    point(row) {
      this.tip.hidden = row === undefined;
      this.trace("pointed", row);
    }

    /* Draws an op's line once more, on top of all others. */
    trace(name, row) {
      const line = this.svg.querySelector(`line.${name}`);
      const isDrawn = row !== undefined && this.original[row] >= 0;
      line.setAttribute("visibility", isDrawn ? "visible" : "hidden");
      if (!isDrawn) return;
      line.setAttribute("y1", this.original[row] + 0.5);
      line.setAttribute("y2", this.standing[row] + 0.5);
    }

    describe(row) {
      const keys = ["op", "line", "module", "inversions", "fixed", "disorder", "why"];
      const [op, line, module, inversions, fixed, disorder, why] = keys.map((key) => this.table.get(key, row));
      const number = inversions === 1 ? "1 inversion" : `${inversions.toLocaleString("en")} inversions`;
      const after = inversions === fixed ? "" : `, ${fixed.toLocaleString("en")} after a fix`;
      return [
        `${op} at line ${line}`,
        module,
        inversions ? `in ${number}${after}${disorder ? `; ${disorder}` : ""}` : "in order",
        why,
      ].filter(Boolean).join("\n");
    }

    anchor(row) {
      return this.anchors[row] ?? `op-${this.table.get("line", row)}`;
    }

    find(anchor) {
      this.rowOf ??= new Map(this.original.map((_, row) => [this.anchor(row), row]));
      return this.rowOf.get(anchor);
    }

    pick(row, zooms = true) {
      this.picked = row;
      this.table.mark(row);
      this.detail.replaceChildren(element("div", { textContent: this.describe(row), ariaLive: "polite" }), ...this.more(row));
      history.replaceState(null, "", `#${this.anchor(row)}`);
      this.trace("picked", row);
      if (zooms && this.original[row] >= 0) this.around(row);
      this.label();
    }

    /* Its text and those around it, the ops that it is inverted with, and the command that explains it. */
    more(row) {
      const around = [-2, -1, 0, 1, 2].map((k) => row + k).filter((other) => this.texts[other] !== undefined);
      const texts = element("div", { className: "ir" }, ...around.map((other) => element(
        "div", { className: other === row ? "own" : "" },
        this.link(other, this.table.get("line", other)), element("code", { textContent: this.texts[other] }))));
      const partners = element("p", {}, ...this.partners(row));
      const text = `${this.root.dataset.command} ${this.table.get("line", row)}`;
      const copied = this.root.dataset.command
        && element("p", { className: "command" }, element("code", { textContent: text }), " ", copyButton());
      const card = document.getElementById(this.anchor(row));
      const href = `#${this.anchor(row)}`;
      const onclick = () => { card.open = true; };
      return [
        around.includes(row) && texts,
        partners.hasChildNodes() && partners,
        copied,
        card && element("p", {}, element("a", { href, onclick, textContent: "What surrounds it" })),
      ].filter(Boolean);
    }

    /* Two ops are inverted where their lines cross. */
    partners(row) {
      const from = this.original[row];
      if (from < 0) return [];
      const crosses = (other) => this.original[other] >= 0
        && (this.original[other] - from) * (this.standing[other] - this.standing[row]) < 0;
      const inverted = this.original.map((_, other) => other).filter(crosses);
      const near = inverted.sort((a, b) => Math.abs(a - row) - Math.abs(b - row)).slice(0, PARTNERS);
      if (!near.length) return [];
      const rest = inverted.length - near.length;
      const links = near.flatMap((other, k) => [k ? ", " : "Inverted with ", this.link(other, this.table.get("op", other))]);
      return [...links, rest ? ` and ${rest.toLocaleString("en")} more` : ""];
    }

    link(row, textContent) {
      const onclick = (event) => {
        event.preventDefault();
        this.pick(row);
      };
      return element("a", { href: `#${this.anchor(row)}`, textContent, onclick });
    }

    /* Shows an op's line as a whole, near enough to tell it from others. */
    around(row) {
      const [from, to] = [this.original[row], this.standing[row]];
      const [top, bottom] = [Math.min(from, to), Math.max(from, to)];
      const isInView = top >= this.start && bottom < this.start + this.span;
      const span = Math.max(1.5 * (bottom - top), 40);
      if (!isInView || this.span > 4 * span) this.show((top + bottom + 1 - span) / 2, span);
    }

    key(event) {
      const forward = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (forward) this.walk(forward);
      else if (event.key === "+") this.zoom(0.5);
      else if (event.key === "-") this.zoom(2);
      else if (event.key === "0") this.show(0, this.size);
      else return;
      event.preventDefault();
    }

    walk(forward) {
      const isPicked = this.standing[this.picked] >= 0;
      let place = isPicked ? this.standing[this.picked] + forward : forward > 0 ? 0 : this.size - 1;
      for (; place >= 0 && place < this.size; place += forward) {
        const row = this.byStanding[place];
        if (this.table.get("disorder", row)) return this.pick(row);
      }
    }
  }

  const tables = new Map([...document.querySelectorAll("[data-rows]")].map((root) => [root.id, new Table(root)]));
  const pictures = [...document.querySelectorAll("[data-places]")]
    .map((root) => new Picture(root, tables.get(root.dataset.table)));

  for (const word of document.querySelectorAll("main button[aria-describedby]")) explain(word);
  for (const command of document.querySelectorAll(".command .copy")) command.replaceWith(copyButton());

  function follow() {
    const anchor = location.hash.slice(1);
    for (const picture of pictures) {
      const row = picture.find(anchor);
      if (row === undefined) continue;
      picture.pick(row);
      const card = document.getElementById(anchor);
      if (card) {
        for (let one = card; one; one = one.parentElement.closest("details")) one.open = true;
        for (const inner of card.querySelectorAll("details")) inner.open = true;
        card.scrollIntoView();
      } else picture.root.scrollIntoView();
      return;
    }
  }
  addEventListener("hashchange", follow);
  if (location.hash) follow();

  addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target.matches("input")) return;
    event.preventDefault();
    const searches = [...document.querySelectorAll("input[type=search]")];
    const below = searches.find((search) => search.getBoundingClientRect().top > 0);
    (below ?? searches.at(-1))?.focus();
  });
})();
