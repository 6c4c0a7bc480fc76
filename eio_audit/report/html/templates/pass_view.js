/* One pass: the text before and after it side by side. */
const passView = (() => {
  const CONTEXT = 3;
  const LEAST_FOLD = 4;
  const CHUNK = 50;
  const ALIKE = 0.7;
  const LINE_HEIGHT = 18;
  const SIGNS = { added: "+", removed: "-", modified: "~", moved: ">" };
  const { escaped, shortened } = irText;

  const count = (number) => number.toLocaleString("en");

  /* A step on the page. Rows are made when they come into view; unchanged rows are folded. */
  class StepView {
    constructor(data, step, root, isCalm) {
      Object.assign(this, { data, step, root, isCalm });
      this.before = data.text(step.before);
      this.after = data.text(step.after);
      this.statuses = new Map(step.changes.map(({ op, status }) => [op, status]));
      const origins = step.changes.filter(({ status, other }) => status === "added" && other).map(({ op, other }) => [op, other]);
      Object.assign(this, irRows.rowsOf(this.before, this.after, this.statuses, origins));
      this.rowOf = { left: new Map(), right: new Map() };
      this.rows.forEach(({ left, right }, row) => {
        if (left >= 0) this.rowOf.left.set(left, row);
        if (right >= 0) this.rowOf.right.set(right, row);
      });
      this.was = new Map([...this.became].map(([old, now]) => [now, old]));
      this.opened = new Set();
      this.sheet = root.appendChild(document.createElement("style")).sheet;
      this.body = root.appendChild(document.createElement("div"));
      this.body.className = "pair";
      const last = Math.max(...[this.before, this.after].map(({ places }) => places.at(-1) ?? 0));
      this.body.style.setProperty("--digits", String(last).length);
      this.body.setAttribute("role", "group");
      this.body.setAttribute("aria-label", "The text before and after the pass");
      this.observer = new IntersectionObserver((entries) => {
        for (const { isIntersecting, target } of entries) if (isIntersecting) this.fill(target);
      }, { rootMargin: "600px" });
      this.render();
    }

    differs(row) {
      const { kind } = this.rows[row];
      return kind === "changed" || kind === "apart" || (kind === "names" && !this.isCalm);
    }

    render() {
      this.observer.disconnect();
      this.body.classList.toggle("calm", this.isCalm);
      const shown = new Uint8Array(this.rows.length);
      this.rows.forEach((_, row) => {
        if (this.opened.has(row)) shown[row] = 1;
        if (!this.differs(row)) return;
        for (let near = Math.max(0, row - CONTEXT); near <= Math.min(row + CONTEXT, this.rows.length - 1); near++) shown[near] = 1;
      });
      const heads = document.createElement("div");
      heads.className = "row heads";
      const place = (text) => `${text.source}:${text.places[0]}`;
      const [left, right] = this.step.titles ?? ["before", "after"];
      heads.innerHTML = `<span><b>${escaped(left)}</b> ${escaped(place(this.before))}</span><span><b>${escaped(right)}</b> ${escaped(place(this.after))}</span>`;
      const parts = [heads];
      for (let row = 0; row < this.rows.length;) {
        let end = row + 1;
        while (end < this.rows.length && shown[end] === shown[row]) end++;
        if (shown[row] || end - row < LEAST_FOLD) parts.push(...this.chunks(row, end));
        else parts.push(this.fold(row, end));
        row = end;
      }
      this.body.replaceChildren(...parts);
      this.body.querySelectorAll(".chunk").forEach((chunk, k) => k < 2 ? this.fill(chunk) : this.observer.observe(chunk));
    }

    chunks(start, end) {
      const chunks = [];
      for (let row = start; row < end; row += CHUNK) {
        const chunk = document.createElement("div");
        chunk.className = "chunk";
        [chunk.dataset.start, chunk.dataset.end] = [row, Math.min(row + CHUNK, end)];
        chunk.style.minHeight = `${(chunk.dataset.end - row) * LINE_HEIGHT}px`;
        chunks.push(chunk);
      }
      return chunks;
    }

    fold(start, end) {
      const fold = document.createElement("button");
      fold.type = "button";
      fold.className = "fold";
      fold.textContent = `${count(end - start)} unchanged lines`;
      fold.addEventListener("click", () => {
        for (let row = start; row < end; row++) this.opened.add(row);
        const chunks = this.chunks(start, end);
        fold.replaceWith(...chunks);
        chunks.forEach((chunk, k) => k < 1 ? this.fill(chunk) : this.observer.observe(chunk));
        chunks[0].querySelector("a.no")?.focus({ preventScroll: true });
      });
      return fold;
    }

    fill(chunk) {
      if (chunk.hasChildNodes()) return;
      this.observer.unobserve(chunk);
      let html = "";
      for (let row = Number(chunk.dataset.start); row < chunk.dataset.end; row++) html += this.html(row);
      chunk.innerHTML = html;
      chunk.style.minHeight = "";
    }

    fillAll() {
      for (const chunk of this.body.querySelectorAll(".chunk")) this.fill(chunk);
    }

    html(row) {
      const { left, right, kind } = this.rows[row];
      const marks = left >= 0 && right >= 0 && (kind === "changed" || kind === "names")
        ? irRows.marksOf(this.before, this.after, left, right, this.became)
        : this.marksApart(left, right);
      return `<div class="row ${kind}" data-row="${row}">`
        + this.cell(this.before, left, "left", kind, marks[0]) + this.cell(this.after, right, "right", kind, marks[1]) + "</div>";
    }

    /* The marks of two lines of different ops. A moved op is compared with its other place, a removed op with an added
       one that is much like it. */
    marksApart(left, right) {
      if (left >= 0 && right >= 0) {
        const isGone = (text, other, line) => !other.lineOf.has(text.ops[line]);
        const marks = irRows.marksOf(this.before, this.after, left, right, this.became);
        const same = marks[0].filter((mark) => mark !== "other").length;
        if (isGone(this.before, this.after, left) && isGone(this.after, this.before, right) && same >= ALIKE * Math.max(marks[0].length, marks[1].length)) return marks;
      }
      const there = left >= 0 && this.before.ops[left] ? this.after.lineOf.get(this.before.ops[left]) : undefined;
      const here = right >= 0 && this.after.ops[right] ? this.before.lineOf.get(this.after.ops[right]) : undefined;
      return [
        there === undefined ? [] : irRows.marksOf(this.before, this.after, left, there, this.became)[0],
        here === undefined ? [] : irRows.marksOf(this.before, this.after, here, right, this.became)[1],
      ];
    }

    cell(text, line, side, kind, marks) {
      if (line < 0) return `<span class="no ${side}"></span><code class="${side} none"></code>`;
      const op = text.ops[line];
      let status = op ? this.statuses.get(op) ?? "" : "";
      let move = "";
      if (kind === "apart") {
        const other = side === "left" ? this.after : this.before;
        const partner = op ? other.lineOf.get(op) : undefined;
        status = partner === undefined ? (side === "left" ? "removed" : "added") : "moved";
        if (partner !== undefined) move = `<button type="button" class="other" data-side="${side === "left" ? "right" : "left"}" data-line="${partner}">${side === "left" ? "to" : "from"} line ${other.places[partner]}</button>`;
      } else if (kind === "changed") status ||= "modified";
      else if (status !== "moved") status = "";
      const title = `${escaped(text.source)}:${text.places[line]}`;
      const number = op
        ? `<a class="no ${side}${op === this.picked ? " picked" : ""}" data-op="${op}" href="#pass-${this.step.pass}/op-${op}" title="${title}${status && `, ${status}`}: its history" data-sign="${SIGNS[status] ?? ""}">${text.places[line]}</a>`
        : `<span class="no ${side}" title="${title}" data-sign="${SIGNS[status] ?? ""}">${text.places[line]}</span>`;
      const tokens = text.tokens(line);
      const indent = tokens[0]?.[0] === "space" ? tokens[0][1].length : 0;
      return `${number}<code class="${side} ${status}" style="--indent:${indent}">${this.words(text, line, tokens, marks, side)}${move}</code>`;
    }

    words(text, line, tokens, marks, side) {
      const tag = side === "left" ? "del" : "ins";
      const op = text.ops[line];
      const asides = irText.asides(tokens);
      let html = "";
      let isOpen = false;
      tokens.forEach(([kind, word], k) => {
        const isMarked = marks[k] === "other";
        if (isMarked !== isOpen) html += isMarked ? `<${tag}>` : `</${tag}>`;
        isOpen = isMarked;
        if (asides[k]) html += '<span class="aside">';
        const name = marks[k] === "name" && kind !== "space" ? " name" : "";
        if (kind === "value") {
          const value = text.values.of[line][k];
          const defined = text.values.lines[value] === line ? " defined" : "";
          html += `<span class="value${defined}${name}" data-value="${value}">${escaped(word)}</span>`;
        } else if (kind === "op" && op) html += `<span class="opname" data-op="${op}">${escaped(word)}</span>`;
        else if (word === "->") html += '<span class="arrow">-&gt;</span>';
        else if (kind === "space" || kind === "mark" || kind === "word") html += name ? `<span class="name">${escaped(word)}</span>` : escaped(word);
        else html += `<span class="${kind}${name}">${shortened(word)}</span>`;
        if (asides[k]) html += "</span>";
      });
      return html + (isOpen ? `</${tag}>` : "");
    }

    /* Marks the uses and the definition of a value on both sides, and unfolds them. Says how many there are. */
    mark(side, value) {
      const old = side === "left" ? value : this.was.get(value);
      const now = side === "right" ? value : this.became.get(value);
      const told = [];
      for (const [text, number, column, where] of [[this.before, old, "left", "before"], [this.after, now, "right", "after"]]) {
        if (number === undefined) continue;
        let uses = 0;
        text.values.of.forEach((of, line) => {
          for (const one of of) if (one === number) {
            this.opened.add(this.rowOf[column].get(line));
            uses += text.values.lines[number] !== line;
          }
        });
        told.push(`${text.values.names[number]} ${where}: ${uses === 1 ? "1 use" : `${count(uses)} uses`}`);
      }
      this.unmark();
      const chosen = [["left", old], ["right", now]].filter(([, number]) => number !== undefined)
        .map(([column, number]) => `#${this.root.id} .${column} [data-value="${number}"]`);
      this.sheet.insertRule(`:is(${chosen.join(", ")}) { background: var(--value); outline: 1px solid var(--value-rule); border-radius: 2px; }`);
      this.sheet.insertRule(`:is(${chosen.join(", ")}).defined { outline-width: 2px; font-weight: 700; }`);
      this.render();
      return told.join("; ");
    }

    unmark() {
      while (this.sheet.cssRules.length) this.sheet.deleteRule(0);
    }

    /* The row of an op, or of a line; -1 for none. */
    rowOfOp(op) {
      const [right, left] = [this.after.lineOf.get(op), this.before.lineOf.get(op)];
      const change = this.step.changes.find((one) => one.op === op);
      const [to, from] = [right ?? change?.after ?? -1, left ?? change?.before ?? -1];
      return this.rowOf.right.get(to) ?? this.rowOf.left.get(from) ?? -1;
    }

    /* The element of a row, unfolded and filled. */
    element(row) {
      const find = () => [...this.body.querySelectorAll(".chunk")].find(({ dataset }) => dataset.start <= row && row < Number(dataset.end));
      if (!find()) {
        for (let near = Math.max(0, row - CONTEXT); near <= Math.min(row + CONTEXT, this.rows.length - 1); near++) this.opened.add(near);
        this.render();
      }
      const chunk = find();
      this.fill(chunk);
      return chunk.querySelector(`[data-row="${row}"]`);
    }

    pick(op) {
      this.picked = op;
      for (const number of this.body.querySelectorAll("a.no")) number.classList.toggle("picked", Number(number.dataset.op) === op);
    }

    /* The first rows of the changes: one per run of rows that differ. */
    get stops() {
      return [...this.rows.keys()].filter((row) => this.differs(row) && !(row && this.differs(row - 1)));
    }
  }

  return { StepView, SIGNS, count };
})();
