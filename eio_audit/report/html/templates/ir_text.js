/* Printed MLIR: its words, what they are, and which value a name stands for. */
const irText = (() => {
  const STRING = String.raw`"(?:[^"\\]|\\.)*"?`;
  const TOKEN = new RegExp([
    String.raw`(?<space>\s+)`,
    String.raw`(?<comment>\/\/.*)`,
    `(?<string>${STRING})`,
    String.raw`(?<value>%[\w$.-]+(?:[#:]\d+)?)`,
    String.raw`(?<block>\^[\w$.-]+)`,
    String.raw`(?<symbol>@(?:${STRING}|[\w$.-]+)(?:::@(?:${STRING}|[\w$.-]+))*)`,
    String.raw`(?<attribute>#[A-Za-z_][\w$.-]*)`,
    String.raw`(?<type>![A-Za-z_][\w$.-]*|(?:tensor|memref|vector|complex|tuple)(?=<)|(?:[su]?i\d+|b?f\d+\w*|tf32|index|none)\b)`,
    String.raw`(?<number>-?(?:0x[\da-fA-F]+|\d+(?:\.\d*)?(?:[eE][-+]?\d+)?))`,
    String.raw`(?<word>[A-Za-z_][\w$]*(?:\.[\w$-]+)*)`,
    String.raw`(?<mark>->|::|[^])`,
  ].join("|"), "y");
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

  /* The words of a line: [kind, text]. Types, maps and locations are one word each. */
  function tokens(line) {
    const found = [];
    let isStart = true;
    for (TOKEN.lastIndex = 0; TOKEN.lastIndex < line.length;) {
      const begin = TOKEN.lastIndex;
      const { groups, 0: text } = TOKEN.exec(line);
      let kind = Object.keys(groups).find((name) => groups[name] !== undefined);
      let end = TOKEN.lastIndex;
      const next = line[end];
      const whole = kind === "word" && WHOLE[text];
      if ((kind === "type" && next === "<") || (whole && next === (whole === "location" ? "(" : "<"))) {
        const closing = closed(line, end);
        if (closing !== undefined) [end, kind] = [closing, whole || kind];
      }
      if (isStart && kind === "word" && (text.includes(".") || PLAIN_OPS.has(text))) kind = "op";
      else if (isStart && kind === "string" && next === "(") kind = "op";
      else if (kind === "word" && /^\s*=(?!=)/.test(line.slice(end, end + 4))) kind = "key";
      if (kind !== "space" && kind !== "value" && text !== "," && text !== "=") isStart = false;
      found.push([kind, line.slice(begin, end)]);
      TOKEN.lastIndex = end;
    }
    return found;
  }

  /* Which value each name stands for: per line, the number of its value by the place of the word. `lines` has where a
     value is defined. Names are those of the innermost region; a name that nothing defines is an argument of the
     region that its line opens. */
  function values(lines) {
    const scopes = [new Map()];
    const found = { of: [], lines: [], names: [] };
    let pending = new Map();
    const define = (scope, name, line) => {
      const known = scope.get(name);
      if (known?.isAhead) {
        known.isAhead = false;
        found.lines[known.number] = line;
        return known.number;
      }
      const number = found.lines.push(line) - 1;
      found.names.push(name);
      scope.set(name, { number, isAhead: false });
      return number;
    };
    lines.forEach((words, line) => {
      const of = new Map();
      found.of.push(of);
      const shown = words.filter(([kind]) => kind !== "space");
      const first = shown.findIndex(([kind, text]) => kind !== "value" && text !== ",");
      const results = first > 0 && shown[first][1] === "=" ? first : 0;
      const opens = shown.length > 0 && shown.at(-1)[1] === "{";
      const isLabel = shown[0]?.[0] === "block";
      let place = -1;
      words.forEach(([kind, text], k) => {
        if (kind === "space") return;
        place++;
        if (text === "{") {
          scopes.push(opens && place === shown.length - 1 ? pending : new Map());
          if (scopes.at(-1) === pending) pending = new Map();
        } else if (text === "}") {
          if (scopes.length > 1) scopes.pop();
        } else if (kind === "value") {
          const name = text.replace(/[#:]\d+$/, "");
          const inner = scopes.at(-1);
          if (place < results) of.set(k, define(inner, name, line));
          else if (words[k + 1]?.[1] === ":") of.set(k, define(isLabel ? inner : pending, name, line));
          else {
            let known = pending.get(name);
            for (let s = scopes.length - 1; !known && s >= 0; s--) known = scopes[s].get(name);
            if (known) of.set(k, known.number);
            else if (opens) of.set(k, define(pending, name, line));
            else {
              of.set(k, define(inner, name, line));
              inner.get(name).isAhead = true;
            }
          }
        }
      });
      if (shown.at(-1)?.[1] === "}" || !shown.length) pending = new Map();
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

  return { tokens, values, escaped, shortened };
})();
