/* The curve of a pass, large and small: it shows the step that is pointed at, and the chosen one. */
(() => {
  const REACH = 40; // pixels
  const FLAT = 4; // how much nearer steps above and below count than those beside
  const root = document.getElementById("browser");
  const source = document.getElementById("curve-steps");
  if (!source) return;
  const items = [...root.querySelectorAll("nav li")];
  const { width, height } = source.viewBox.baseVal;
  const boxes = [...source.querySelectorAll("a path")].map((path) => path.getBBox());

  class Curve {
    constructor(root) {
      this.stage = root.querySelector(".stage");
      this.svg = root.querySelector("svg");
      this.said = root.querySelector(".said");
      this.marks = Object.fromEntries(["pointed", "chosen"].map((name) => [name, root.querySelector(`line.${name}`)]));
      this.pointed = this.step = -1;
      this.stage.addEventListener("mousemove", (event) => this.point(this.nearest(event)));
      this.stage.addEventListener("mouseleave", () => this.point(-1));
      this.stage.addEventListener("click", (event) => {
        event.preventDefault();
        this.open(this.nearest(event));
      });
      this.stage.addEventListener("keydown", (event) => this.key(event));
      this.stage.addEventListener("blur", () => this.point(-1));
    }

    /* The step whose line is nearest; -1 if none is near. */
    nearest(event) {
      const box = this.svg.getBoundingClientRect();
      const [x, y] = [event.clientX - box.left, event.clientY - box.top];
      const beside = (at, from, size) => Math.max(from - at, 0, at - from - size);
      let best = -1;
      let least = REACH;
      boxes.forEach((one, step) => {
        const across = beside(x, (one.x / width) * box.width, (one.width / width) * box.width);
        const along = beside(y, (one.y / height) * box.height, (one.height / height) * box.height);
        const distance = Math.hypot(across, along / FLAT);
        if (distance < least) [best, least] = [step, distance];
      });
      return best;
    }

    mark(name, step) {
      const line = this.marks[name];
      line.setAttribute("visibility", step < 0 ? "hidden" : "visible");
      if (step < 0) return;
      const at = `${(100 * (boxes[step].x + boxes[step].width)) / width}%`;
      line.setAttribute("x1", at);
      line.setAttribute("x2", at);
    }

    point(step) {
      this.pointed = step;
      this.mark("pointed", step);
      this.describe(step < 0 ? this.step : step);
    }

    choose(step) {
      this.step = step;
      this.mark("chosen", step);
      if (this.pointed < 0) this.describe(step);
    }

    describe(step) {
      if (!this.said || step < 0) return;
      const text = (selector) => items[step].querySelector(selector)?.textContent ?? "";
      const link = document.createElement("a");
      link.href = `#pass-${step}`;
      link.textContent = text(".place span") || text("b");
      const op = text(".place i");
      const what = text(".order") || text(".counts").trim();
      this.said.replaceChildren(link, ` ${text(".place span") && text("b")}${op && ` on ${op}`}, ${what}`);
    }

    open(step) {
      if (step >= 0) items[step].querySelector("a").click();
    }

    key(event) {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      const here = this.pointed >= 0 ? this.pointed : this.step;
      if (by) this.point(Math.min(Math.max(here + by, 0), boxes.length - 1));
      else if (event.key === "Enter") this.open(here);
      else return;
      event.preventDefault();
    }
  }

  const curves = [...document.querySelectorAll(".curve")].map((one) => new Curve(one));
  curves[0].stage.tabIndex = 0;
  root.addEventListener("choose", (event) => curves.forEach((curve) => curve.choose(event.detail)));
})();
