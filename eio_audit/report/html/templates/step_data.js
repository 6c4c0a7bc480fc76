/* The data of a page: the texts before and after each pass, and what happened to each op. */
const stepData = (() => {
  /* One text: its lines, their places in the file and their ops, by the line's number from 0. An op of 0 is none. */
  class Text {
    constructor(data, lines, ops, places, definitions, source) {
      Object.assign(this, { data, lines, ops, places, definitions, source, size: lines.length });
      this.lineOf = new Map();
      ops.forEach((op, line) => op && this.lineOf.set(op, line));
    }

    line(line) {
      return this.data.line(this.lines[line]);
    }

    tokens(line) {
      return this.data.tokens(this.lines[line]);
    }

    get values() {
      return (this.known ??= irText.values(Array.from(this.lines, (number) => ({ words: this.data.tokens(number), form: this.data.form(number) }))));
    }

    form(line) {
      return this.data.form(this.lines[line]);
    }

    /* Whether its ops are printed in generic form. */
    get isGeneric() {
      const first = this.ops.findIndex((op) => op);
      return (this.generic ??= first >= 0 && irRows.isGeneric(this.tokens(first)));
    }

    /* The lines from one to another that begin no op. */
    plain(from, to) {
      const found = [];
      for (let line = from; line < to; line++) if (!this.ops[line]) found.push(line);
      return found;
    }

    defines(line) {
      return !this.ops[line] && this.form(line).defines;
    }

    /* Whether a line defines an alias of a location, or one whose definition another text has elsewhere. */
    isAside(line, other) {
      return this.defines(line) && (!other.hasDefinitions || this.tokens(line).at(-1)[0] === "location");
    }

    get hasDefinitions() {
      return (this.anyDefines ??= this.plain(0, this.size).some((line) => this.defines(line)));
    }

    /* The ops whose regions lines close or are in: per line that begins with a brace or a label, else 0. */
    get owners() {
      if (this.closed) return this.closed;
      const open = [];
      let last = 0;
      this.closed = Array.from(this.ops, (op, line) => {
        const { events, isLabel, closes } = this.form(line);
        last = op || last;
        let owner = isLabel ? open.at(-1) ?? 0 : 0;
        let isFirst = closes;
        for (const [what] of events) {
          if (what === "region") open.push(op || owner || last);
          else if (what === "open") open.push(0);
          else if (what === "close") {
            const closed = open.pop() ?? 0;
            if (isFirst) owner = closed;
            isFirst = false;
          }
        }
        return owner;
      });
      return this.closed;
    }

    /* A line without the names of its values and aliases, with the op that it closes. */
    shape(line) {
      return this.owners[line] + this.tokens(line).map(([kind, text]) => {
        if (kind === "space") return " ";
        return kind === "value" ? "%" : kind === "location" ? "" : this.expanded(text);
      }).join("").trim();
    }

    /* A word with the definitions of its aliases in their place. Aliases of locations that have none are all equal. */
    expanded(text) {
      if (!/[#!]/.test(text)) return text;
      if (!this.aliases) {
        this.aliases = new Map();
        for (const number of this.definitions) {
          const [name, ...meaning] = this.data.tokens(number).map(([, text]) => text);
          this.aliases.set(name, meaning.slice(meaning.indexOf("=") + 1).join("").trim());
        }
        this.meanings = new Map();
      }
      return text.replace(/[#!][A-Za-z_][\w$.-]*/g, (name) => this.meaning(name));
    }

    meaning(name) {
      if (!this.meanings.has(name)) {
        this.meanings.set(name, name); // of an alias in its own definition
        const found = this.aliases.get(name)?.replace(/^loc\((.*)\)$/, "$1"); // as it stands in another location
        this.meanings.set(name, found === undefined ? name.replace(/^#loc\d+$/, "#loc") : this.expanded(found));
      }
      return this.meanings.get(name);
    }
  }

  class Steps {
    constructor(packed) {
      Object.assign(this, packed);
      this.forms = [];
      this.starts = new Uint32Array(packed.templateOf.length + 1);
      const holes = packed.templates.map((template) => template.split("\n").length - 1);
      packed.templateOf.forEach((template, line) => {
        this.starts[line + 1] = this.starts[line] + holes[template];
      });
      this.firsts = new Int32Array(packed.templateOf.length);
      let first = 0;
      for (let line = 0; line < this.firsts.length; line++) {
        if (this.starts[line] < this.starts[line + 1]) first += packed.numbers[this.starts[line]];
        this.firsts[line] = first;
      }
      this.words = [];
      this.known = [];
      this.byPass = new Map();
      this.steps = packed.steps.map(([pass, before, after, statuses, ops, others, names, functions, from, to], number) => {
        const changes = ops.map((op, k) => ({
          status: this.statuses[statuses[k]],
          op: op + 1,
          other: others[k] + 1, // its origin, of an added op; its copy, of a removed one
          name: this.names[names[k]],
          function: this.names[functions[k]] ?? "",
          before: from[k],
          after: to[k],
        }));
        const step = { number, pass, before, after, changes };
        if (!this.byPass.has(pass)) this.byPass.set(pass, []);
        this.byPass.get(pass).push(step);
        return step;
      });
    }

    /* The template of a line, taken apart. */
    form(number) {
      const template = this.templateOf[number];
      return (this.forms[template] ??= irText.pattern(this.templates[template]));
    }

    /* Takes all templates apart, and makes the IR ready to be searched, while the browser has nothing else to do. */
    prepare() {
      let next = 0;
      const go = (deadline) => {
        for (; next < this.templates.length && deadline.timeRemaining() > 2; next++) this.forms[next] ??= irText.pattern(this.templates[next]);
        requestIdleCallback(next < this.templates.length ? go : () => this.passesWith([]));
      };
      if ("requestIdleCallback" in window) requestIdleCallback(go);
    }

    /* The words of a line: those of its template, with the numbers of its values in place. See StoredLines. */
    tokens(number) {
      return (this.words[number] ??= this.filled(number));
    }

    filled(number) {
      const { words, holes } = this.form(number);
      if (!holes.length) return words;
      const [start, first] = [this.starts[number], this.firsts[number]];
      let at = start;
      const filled = words.slice();
      for (const k of holes) {
        const [kind, text] = words[k];
        filled[k] = [kind, text.replace(/\n/g, () => (at++ === start ? first : first - this.numbers[at - 1]))];
      }
      return filled;
    }

    line(number) {
      return this.tokens(number).map(([, text]) => text).join("");
    }

    /* The passes with a text, before or after, in which each of some words is on a line. Words are in lower case. */
    passesWith(words) {
      this.lowered ??= Array.from(this.templateOf, (_, number) => this.line(number).toLowerCase());
      this.linesOf ??= this.states.map(([, lines]) => summed(lines));
      const hits = words.map((word) => Uint8Array.from(this.lowered, (line) => line.includes(word)));
      const states = this.linesOf.map((lines) => hits.every((hit) => lines.some((line) => hit[line])));
      return new Set(this.steps.filter(({ before, after }) => states[before] || states[after]).map(({ pass }) => pass));
    }

    text(number) {
      const [source, ...columns] = this.states[number];
      return (this.known[number] ??= new Text(this, ...columns.map(summed), this.sources[source]));
    }

    /* The first op of a text, which tells what part of a program it shows. */
    rootOf(number) {
      return this.text(number).ops.find((op) => op) ?? 0;
    }

    /* The steps whose text after them shows the same part of a program as that of a step. */
    alike(step) {
      this.roots ??= this.steps.map(({ after }) => this.rootOf(after));
      const root = this.roots[step.number];
      return root ? this.steps.filter(({ number }) => this.roots[number] === root) : [];
    }

    /* From the text after one pass to that after another: all that the steps between them changed. The earlier one is
       on the left. */
    between(step, pass) {
      const alike = this.alike(step);
      const other = alike.findLast((one) => one.pass === pass);
      if (!other) return [];
      const [first, last] = [step, other].sort((a, b) => a.number - b.number);
      const [before, after] = [first, last].map((one) => this.text(one.after));
      const changes = new Map();
      for (const one of alike)
        if (first.number < one.number && one.number <= last.number)
          for (const change of one.changes) {
            const [was, now] = [before, after].map((text) => text.lineOf.get(change.op));
            if (was === undefined && now === undefined) continue;
            const known = changes.get(change.op)?.status === "modified" ? "modified" : change.status;
            const status = was === undefined ? "added" : now === undefined ? "removed" : known === "moved" ? "moved" : "modified";
            changes.set(change.op, { ...change, status, before: was ?? -1, after: now ?? -1 });
          }
      const titles = [first, last].map((one) => `after ${this.passes[one.pass].name}`);
      return [{ ...step, before: first.after, after: last.after, changes: [...changes.values()], titles }];
    }

    /* By op, its changes, each with its step; by op, the changes that added ops made from it; by op, its copy; by copy, its op. */
    get histories() {
      if (!this.found) {
        const [of, made, copies, copied] = Array.from({ length: 4 }, () => new Map());
        const add = (map, op, entry) => map.has(op) ? map.get(op).push(entry) : map.set(op, [entry]);
        for (const step of this.steps)
          for (const change of step.changes) {
            add(of, change.op, { step, change });
            if (!change.other) continue;
            if (change.status === "added") add(made, change.other, { step, change });
            else {
              copies.set(change.op, change.other);
              copied.set(change.other, change.op);
            }
          }
        this.found = { of, made, copies, copied };
      }
      return this.found;
    }

    /* An op and its copies, oldest first. */
    same(op) {
      const { copies, copied } = this.histories;
      let first = op;
      while (copied.has(first)) first = copied.get(first);
      const all = [first];
      while (copies.has(all.at(-1))) all.push(copies.get(all.at(-1)));
      return all;
    }

    /* What happened to an op, and before that to the ops that it was made from: entries in the order of the passes. */
    history(op) {
      const { of, made, copied } = this.histories;
      const entries = [];
      const seen = new Set();
      let until = Infinity;
      for (let current = op; current && !seen.has(current);) {
        const same = this.same(current);
        for (const one of same) seen.add(one);
        const found = (map) => same.flatMap((one) => map.get(one) ?? []).filter(({ step }) => step.number <= until);
        const own = found(of).filter(({ change }) => change.status !== "added" || !copied.has(change.op));
        entries.push(...own.map((entry) => ({ ...entry, kind: "own", about: entry.change.op })));
        entries.push(...found(made).filter(({ change }) => !seen.has(change.op)).map((entry) => ({ ...entry, kind: "made", about: current })));
        const birth = own.find(({ change }) => change.status === "added");
        until = birth?.step.number ?? -1;
        current = birth?.change.other;
      }
      return entries.sort((a, b) => a.step.number - b.step.number || (a.kind === "made") - (b.kind === "made"));
    }
  }

  /* Numbers from the difference of each from the one before. */
  function summed(differences) {
    let sum = 0;
    return Int32Array.from(differences, (difference) => (sum += difference));
  }

  async function unpacked(text) {
    const letters = atob(text);
    const bytes = new Uint8Array(letters.length);
    for (let k = 0; k < letters.length; k++) bytes[k] = letters.charCodeAt(k);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Steps(await new Response(stream).json());
  }

  return { Steps, unpacked };
})();
