/* Printed MLIR: its words, what they are, and which value a name stands for. */
const irText = (() => {
  const STRING = String.raw`"(?:[^"\\]|\\.)*"?`;
  /* By its first letter, the kind and the rest of a word. All other letters are words by themselves. */
  const WORDS = [
    [" \t", "space", String.raw`\s+`],
    ['"', "string", STRING],
    ["%", "value", String.raw`%[\w$.\n-]+(?:[#:]\d+)?`],
    ["^", "block", String.raw`\^[\w$.-]+`],
    ["@", "symbol", String.raw`@(?:${STRING}|[\w$.-]+)(?:::@(?:${STRING}|[\w$.-]+))*`],
    ["#", "attribute", String.raw`#[A-Za-z_][\w$.-]*`],
    ["!", "type", String.raw`![A-Za-z_][\w$.-]*`],
    ["/", "comment", String.raw`\/\/[^]*`],
    ["-", "mark", "->"],
    [":", "mark", "::"],
    ["-0123456789", "number", String.raw`-?(?:0x[\da-fA-F]+|\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)`],
    ["ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_", "word", String.raw`[A-Za-z_][\w$]*(?:\.[\w$-]+)*`],
  ];
  const BY_LETTER = new Map();
  for (const [letters, kind, rest] of WORDS) {
    const expression = new RegExp(rest, "y");
    for (const letter of letters) BY_LETTER.set(letter, [...(BY_LETTER.get(letter) ?? []), [kind, expression]]);
  }
  const TYPES = /^(?:[su]?i\d+|b?f\d+\w*|tf32|index|none)$/;
  const SHAPED = new Set(["tensor", "memref", "vector", "complex", "tuple"]);
  const WHOLE = { affine_map: "attribute", affine_set: "attribute", dense: "number", dense_resource: "number", loc: "location" };
  const PLAIN_OPS = new Set(["module", "return", "yield", "func", "call"]);
  const CLOSING = { "<": ">", "(": ")" };
  const LONGEST = 160;
  const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufffe\uffff\ud800-\udfff]/g;
  const PAIRS = /[\ud800-\udbff][\udc00-\udfff]/;
  const ESCAPES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

  /* The end of what the bracket at a place encloses; undefined where the line does not close it. */
  function closed(text, start) {
    const open = text[start];
    const close = CLOSING[open];
    let depth = 0;
    for (let at = start; at < text.length; at++) {
      const letter = text[at];
      if (letter === '"') {
        for (at++; at < text.length && text[at] !== '"'; at++) if (text[at] === "\\") at++;
      } else if (letter === open) depth++;
      else if (letter === close && !(close === ">" && (text[at - 1] === "-" || text[at + 1] === "="))) {
        if (--depth === 0) return at + 1;
      }
    }
  }

  /* The kind and the end of the word at a place. */
  function wordAt(line, begin) {
    for (const [kind, expression] of BY_LETTER.get(line[begin]) ?? []) {
      expression.lastIndex = begin;
      if (expression.test(line)) return [kind, expression.lastIndex];
    }
    return ["mark", begin + 1];
  }

  /* The words of a line: [kind, text]. Types, maps and locations are one word each. */
  function tokens(line) {
    const found = [];
    let isStart = true;
    for (let begin = 0; begin < line.length;) {
      let [kind, end] = wordAt(line, begin);
      let text = line.slice(begin, end);
      if (kind === "word") {
        const next = line[end];
        const whole = WHOLE[text] ?? (SHAPED.has(text) ? "type" : undefined);
        const closing = whole && next === (whole === "location" ? "(" : "<") ? closed(line, end) : undefined;
        if (closing !== undefined) [kind, end] = [whole, closing];
        else if (TYPES.test(text)) kind = "type";
        else if (isStart && (text.includes(".") || PLAIN_OPS.has(text))) kind = "op";
        else if (/^\s*=(?!=)/.test(line.slice(end, end + 4))) kind = "key";
      } else if (kind === "type" && line[end] === "<") end = closed(line, end) ?? end;
      else if (isStart && kind === "string" && line[end] === "(") kind = "op";
      if (isStart && kind !== "space" && kind !== "value" && text !== "," && text !== "=") isStart = false;
      found.push([kind, line.slice(begin, end)]);
      begin = end;
    }
    return found;
  }

  /* By word of a line, whether it belongs to a type or a location. */
  function asides(words) {
    const found = words.map(([kind]) => kind === "type" || kind === "location");
    const open = [];
    words.forEach(([, text], k) => {
      if (text === "(") open.push(k);
      else if (text === ")" && open.length) {
        const from = open.pop();
        const isTypes = words.slice(from + 1, k).every(([kind, one], n) => found[from + 1 + n] || kind === "space" || one === "," || one === "->");
        if (isTypes && (k > from + 1 || words[from - 2]?.[1] === ":")) found.fill(true, from, k + 1);
      }
    });
    for (let k = words.length - 2; k > 0; k--) found[k] ||= found[k + 1] && (words[k][0] === "space" || /^(?::|->)$/.test(words[k][1]));
    return found;
  }

  /* A template of lines: its words, those with numbers of values in them, and what happens to names in it, word by
     word. `opens` tells whether its last word opens a region. */
  function pattern(template) {
    const words = tokens(template);
    const holes = [...words.keys()].filter((k) => words[k][1].includes("\n"));
    const shown = [...words.keys()].filter((k) => words[k][0] !== "space");
    const text = (place) => words[shown[place]]?.[1];
    const first = shown.findIndex((k) => words[k][0] !== "value" && words[k][1] !== ",");
    const results = first > 0 && text(first) === "=" ? first : 0;
    const isLabel = words[shown[0]]?.[0] === "block";
    const opens = text(shown.length - 1) === "{";
    const events = [];
    shown.forEach((k, place) => {
      const [kind, word] = words[k];
      if (word === "{") events.push([place === shown.length - 1 ? "region" : "open", k]);
      else if (word === "}") events.push(["close", k]);
      else if (kind === "value") {
        const isArgument = words[k + 1]?.[1] === ":";
        events.push([place < results || (isArgument && isLabel) ? "result" : isArgument ? "argument" : "use", k]);
      }
    });
    const values = events.filter(([what]) => what === "result" || what === "argument" || what === "use").map(([, k]) => k);
    const hasAliases = words.some(([kind, word]) => kind !== "value" && /[#!]|%\n/.test(word));
    return { words, holes, events, values, hasAliases, isLabel, closes: text(0) === "}", defines: /^[#!]/.test(text(0)) && text(1) === "=", opens, ends: !shown.length || text(shown.length - 1) === "}" };
  }

  /* Which value each name stands for: per line, the number of its value by the place of the word. `lines` has where a
     value is defined. Names are those of the innermost region; a name that nothing defines is an argument of the
     region that its line opens. */
  function values(lines) {
    const scopes = [new Map()];
    const found = { of: [], lines: [], names: [] };
    let pending = new Map();
    const define = (scope, name, line, isAhead = false) => {
      const known = scope.get(name);
      if (known?.isAhead) {
        known.isAhead = false;
        found.lines[known.number] = line;
        return known.number;
      }
      const number = found.lines.push(line) - 1;
      found.names.push(name);
      scope.set(name, { number, isAhead });
      return number;
    };
    lines.forEach(({ words, form: { events, opens, ends } }, line) => {
      const of = [];
      found.of.push(of);
      for (const [what, k] of events) {
        if (what === "region") {
          scopes.push(pending);
          pending = new Map();
        } else if (what === "open") scopes.push(new Map());
        else if (what === "close") {
          if (scopes.length > 1) scopes.pop();
        } else {
          const name = words[k][1].replace(/[#:]\d+$/, "");
          if (what === "result") of[k] = define(scopes.at(-1), name, line);
          else if (what === "argument") of[k] = define(pending, name, line);
          else {
            let known = pending.get(name);
            for (let s = scopes.length - 1; !known && s >= 0; s--) known = scopes[s].get(name);
            of[k] = known ? known.number : define(opens ? pending : scopes.at(-1), name, line, !opens);
          }
        }
      }
      if (ends) pending = new Map();
    });
    return found;
  }

  const escaped = (text) => text
    .replace(CONTROLS, (letter, at) => PAIRS.test(text.slice(at - 1, at + 2)) ? letter : `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .replace(/[&<>"]/g, (letter) => ESCAPES[letter]);

  /* A text, shortened where it is long; a click shows it. */
  function shortened(text) {
    if (text.length <= LONGEST) return escaped(text);
    const [head, tail] = [text.slice(0, LONGEST / 2), text.slice(-LONGEST / 4)];
    const more = text.length - head.length - tail.length;
    return `${escaped(head)}<button type="button" class="more" data-text="${escaped(text.slice(head.length, -tail.length))}">${more.toLocaleString("en")} more</button>${escaped(tail)}`;
  }

  return { pattern, asides, values, escaped, shortened };
})();
