/* Two texts side by side: which lines stand in one row, and which words of a row differ. */
const irRows = (() => {
  const MOST = 250_000;

  /* The longest choice of pairs, sorted by their first part, whose second parts rise. */
  function rising(pairs) {
    const ends = [];
    const before = new Array(pairs.length);
    pairs.forEach(([, right], k) => {
      let [low, high] = [0, ends.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (pairs[ends[middle]][1] < right) low = middle + 1;
        else high = middle;
      }
      before[k] = ends[low - 1];
      ends[low] = k;
    });
    const chosen = [];
    for (let k = ends.at(-1); k !== undefined; k = before[k]) chosen.push(pairs[k]);
    return chosen.reverse();
  }

  /* The longest common part of two lists: pairs of places. Of lists too long for that, what both begin and end with. */
  function common(left, right) {
    let head = 0;
    while (head < left.length && head < right.length && left[head] === right[head]) head++;
    let tail = 0;
    while (tail < left.length - head && tail < right.length - head && left.at(-1 - tail) === right.at(-1 - tail)) tail++;
    const [n, m] = [left.length - head - tail, right.length - head - tail];
    const pairs = [];
    for (let k = 0; k < head; k++) pairs.push([k, k]);
    if (n && m && n * m <= MOST) {
      const width = m + 1;
      const best = new Uint32Array((n + 1) * width);
      for (let i = n - 1; i >= 0; i--)
        for (let j = m - 1; j >= 0; j--)
          best[i * width + j] = left[head + i] === right[head + j]
            ? best[(i + 1) * width + j + 1] + 1
            : Math.max(best[(i + 1) * width + j], best[i * width + j + 1]);
      for (let i = 0, j = 0; i < n && j < m;) {
        if (left[head + i] === right[head + j]) pairs.push([head + i++, head + j++]);
        else if (best[(i + 1) * width + j] >= best[i * width + j + 1]) i++;
        else j++;
      }
    }
    for (let k = tail; k > 0; k--) pairs.push([left.length - k, right.length - k]);
    return pairs;
  }

  /* The lines of the ops that both texts have. */
  function bothOf(before, after) {
    const both = [];
    before.ops.forEach((op, line) => {
      const other = op ? after.lineOf.get(op) : undefined;
      if (other !== undefined) both.push([line, other]);
    });
    return both;
  }

  /* Pairs, and those of others that fit between them. */
  function joined(pairs, others) {
    const gap = (side, line) => {
      let [low, high] = [0, pairs.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (pairs[middle][side] < line) low = middle + 1;
        else high = middle;
      }
      return pairs[low]?.[side] === line ? -1 : low;
    };
    const fitting = others.filter(([left, right]) => gap(0, left) >= 0 && gap(0, left) === gap(1, right));
    return [...pairs, ...rising(fitting)].sort((a, b) => a[0] - b[0]);
  }

  /* The pairs of lines in one row: of one op; of an op and of what was made from it; of equal text between them. Ops
     that moved stand aside where they would part others. */
  function pairsOf(before, after, statuses, origins) {
    const both = bothOf(before, after);
    const isMoved = ([line]) => statuses.get(before.ops[line]) === "moved";
    const kept = joined(rising(both.filter((pair) => !isMoved(pair))), both.filter(isMoved));
    const made = new Map();
    for (const [op, origin] of origins) {
      const [left, right] = [before.lineOf.get(origin), after.lineOf.get(op)];
      if (left !== undefined && right !== undefined && !after.lineOf.has(origin) && !made.has(left)) made.set(left, right);
    }
    const anchors = joined(kept, [...made].sort((a, b) => a[0] - b[0]));
    const pairs = [];
    let [i, j] = [0, 0];
    for (const [left, right] of [...anchors, [before.size, after.size]]) {
      const plainLeft = before.plain(i, left);
      const plainRight = after.plain(j, right);
      const shapes = [plainLeft.map((line) => before.shape(line)), plainRight.map((line) => after.shape(line))];
      for (const [a, b] of common(...shapes)) pairs.push([plainLeft[a], plainRight[b]]);
      pairs.push([left, right]);
      [i, j] = [left + 1, right + 1];
    }
    return pairs;
  }

  /* The rows of two texts: { left, right, kind }, lines or -1. The kinds: "same"; "names" where only names of values
     and aliases differ, or how an op is printed, and where a text
     lacks the definitions of its aliases; "changed"; "apart" where the lines are not of one op.
     `statuses` has the status of each changed op, `origins` pairs of an added op and the op it was made from. */
  function rowsOf(before, after, statuses, origins) {
    const pairs = pairsOf(before, after, statuses, origins);
    const isMixed = before.isGeneric !== after.isGeneric;
    const became = becameOf(before, after, [...pairs, ...bothOf(before, after)], isMixed);
    const rows = [];
    let [i, j] = [0, 0];
    for (const [left, right] of pairs) {
      while (i < left || j < right) {
        if (i < left && before.isAside(i, after)) rows.push({ left: i++, right: -1, kind: "names" });
        else if (j < right && after.isAside(j, before)) rows.push({ left: -1, right: j++, kind: "names" });
        else if (isMixed && i < left && !before.ops[i]) rows.push({ left: i++, right: -1, kind: "names" });
        else if (isMixed && j < right && !after.ops[j]) rows.push({ left: -1, right: j++, kind: "names" });
        else rows.push({ left: i < left ? i++ : -1, right: j < right ? j++ : -1, kind: "apart" });
      }
      [i, j] = [left + 1, right + 1];
      if (left === before.size) break;
      rows.push({ left, right, kind: kindOf(before, after, left, right, statuses, became) });
    }
    return { rows, became };
  }

  /* By value of the text before, the value it is after: values that two lines of one op or row define, in their order. */
  function becameOf(before, after, pairs, isMixed) {
    const became = new Map();
    const [left, right] = [before, after].map((text) => {
      const byLine = new Map();
      text.values.lines.forEach((line, value) => {
        if (!byLine.has(line)) byLine.set(line, []);
        byLine.get(line).push(value);
      });
      if (isMixed && text.isGeneric) // its label has the arguments that the line of an op in custom form has
        for (const line of byLine.keys())
          if (line && text.form(line).isLabel && text.ops[line - 1]) byLine.set(line - 1, [...byLine.get(line - 1) ?? [], ...byLine.get(line)]);
      return byLine;
    });
    for (const [a, b] of pairs) {
      const [old, now] = [left.get(a), right.get(b)];
      if (old && now && old.length === now.length) old.forEach((value, k) => became.set(value, now[k]));
    }
    return became;
  }

  /* The kind of a row. Whether an op has changed is known; lines without an op are compared word by word. */
  function kindOf(before, after, left, right, statuses, became) {
    const op = before.ops[left];
    if (op !== after.ops[right] || statuses.has(op)) return "changed";
    const owner = op || (before.form(left).closes && before.owners[left]);
    const different = owner && !statuses.has(owner) ? "names" : "changed";
    const [a, b] = [before.tokens(left), after.tokens(right)];
    if (a.length !== b.length) return different;
    const form = before.form(left);
    const isPlain = form === after.form(right) && !form.hasAliases;
    let kind = "same";
    for (const k of isPlain ? form.values : a.keys()) {
      const likeness = compared(before, after, left, right, k, k, became);
      if (likeness === "other") return different;
      if (likeness === "name") kind = "names";
    }
    return kind;
  }

  /* Whether two words are "equal", "name" where one thing has two names, or "other". */
  function compared(before, after, left, right, k, l, became) {
    const [[kind, text], [otherKind, other]] = [before.tokens(left)[k], after.tokens(right)[l]];
    if (kind !== otherKind) return "other";
    if (kind === "value") {
      const [old, now] = [before.values.of[left][k], after.values.of[right][l]];
      const isOne = became.has(old) ? became.get(old) === now : text === other;
      return isOne ? (text === other ? "equal" : "name") : "other";
    }
    if (text === other) return "equal";
    if (kind === "space") return k === 0 && l === 0 ? "name" : "other";
    if (kind === "location") return before.expanded(text) === after.expanded(other) ? "name" : "other";
    if (kind === "attribute" || kind === "type") {
      const isOne = before.expanded(text) === after.expanded(other);
      return isOne ? "name" : "other";
    }
    return "other";
  }

  /* The marks of the words of a row, for both sides: "", "name" or "other" per word. Equal words have none, even if they name other values. */
  function marksOf(before, after, left, right, became) {
    const [a, b] = [before.tokens(left), after.tokens(right)];
    if (isGeneric(a) !== isGeneric(b)) return marksOfLiterals(before, after, left, right, became);
    const marks = [new Array(a.length).fill("other"), new Array(b.length).fill("other")];
    const key = (text, line, k, isLeft) => {
      const [kind, word] = text.tokens(line)[k];
      if (kind !== "value") return `${kind} ${kind === "space" ? "" : text.expanded(word)}`;
      const value = text.values.of[line][k];
      if (!isLeft) return `value ${value}`;
      return became.has(value) ? `value ${became.get(value)}` : `gone ${word}`;
    };
    const keys = [a.map((_, k) => key(before, left, k, true)), b.map((_, k) => key(after, right, k, false))];
    let [i, j] = [0, 0];
    const texts = (words) => words.map(([kind, text]) => kind === "space" ? "" : text);
    for (const [k, l] of [...common(...keys), [a.length, b.length]]) {
      for (const [m, n] of common(texts(a.slice(i, k)), texts(b.slice(j, l)))) [marks[0][i + m], marks[1][j + n]] = ["", ""];
      if (k === a.length) break;
      const likeness = a[k][1] === b[l][1] ? "" : "name";
      [marks[0][k], marks[1][l]] = [likeness, likeness];
      [i, j] = [k + 1, l + 1];
    }
    for (const [side, words] of [a, b].entries())
      words.forEach(([kind], k) => {
        if (kind === "space" && !(marks[side][k - 1] === "other" && marks[side][k + 1] === "other")) marks[side][k] = "";
      });
    return marks;
  }

  const isGeneric = (words) => words.find(([kind]) => kind === "op")?.[1].startsWith('"') ?? false;
  const LITERALS = new Set(["value", "number", "symbol", "string"]);

  /* The marks of one op in custom and in generic form: its values and literals that the other form lacks. */
  function marksOfLiterals(before, after, left, right, became) {
    became.images ??= new Set(became.values()); // a value that is in no pair is told by its name
    const keys = [[before, left], [after, right]].map(([text, line], side) => text.tokens(line).map(([kind, word], k) => {
      if (!LITERALS.has(kind)) return undefined;
      if (kind === "value") {
        const value = text.values.of[line][k];
        const number = side ? (became.images.has(value) ? value : undefined) : became.get(value);
        return `value ${number ?? word}`;
      }
      const name = /^@?"(.*)"$/s.exec(word)?.[1] ?? word.replace(/^@/, "");
      return kind === "number" && Number.isFinite(Number(name)) ? Number(name) : name;
    }));
    const known = keys.map((own) => new Set(own));
    return keys.map((own, side) => own.map((key) => key === undefined || known[1 - side].has(key) ? "" : "other"));
  }

  return { rowsOf, marksOf, isGeneric };
})();
