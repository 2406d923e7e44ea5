"use strict";
// The page around the scheduler that steps: sched9 has what TestPage of package sched puts there.

const byId = (id) => document.getElementById(id);
const words = JSON.parse(byId("words").textContent);
const stepper = { trail: null, at: -1 };

// element makes an element with text or children.
function element(name, kind, ...inside) {
  const e = document.createElement(name);
  if (kind) e.className = kind;
  e.append(...inside);
  return e;
}

// run runs a schedule, PROGRAM/DECISIONS, and shows the row that is asked for, or where it breaks, or the first.
function run(schedule, at) {
  stepper.trail = JSON.parse(sched9.trail(schedule));
  const t = stepper.trail;
  if (t.Schedule) {
    byId("schedule").value = t.Schedule;
    byId("program").value = t.Program;
    history.replaceState(null, "", "#" + t.Schedule);
  }
  byId("about").textContent = t.Program ? `${t.Program}: ${words.Programs[t.Program] || ""}. Rules: ${t.Rules}.` : "";
  broken(t.Failure || "");
  t.Rows = t.Rows || [];
  const ms = t.Rows.length ? t.Views[0].Ms.length : 0;
  const body = element("tbody");
  t.Rows.forEach((r, i) => {
    const tr = element("tr", r.Text.startsWith("      ") ? "event" : "", element("td", "", String(r.Step)));
    for (let m = 0; m < ms; m++) tr.append(element("td", "", m === r.M ? brief(r) : ""));
    tr.onclick = () => show(i);
    body.append(tr);
  });
  const head = element("tr", "", element("th", "", "step"));
  for (let m = 0; m < ms; m++) head.append(element("th", "", "M" + m));
  byId("rows").replaceChildren(element("table", "", element("thead", "", head), body));
  stepper.body = body;
  show(Math.min(at ?? (t.Failure ? Infinity : 0), t.Rows.length - 1));
}

// broken says in a line what went wrong, and the rest, a panic's stack perhaps, if it is asked for.
function broken(failure) {
  const [first, ...rest] = failure.split("\n");
  byId("bad").replaceChildren(first && "Broken: " + first);
  if (rest.length) byId("bad").append(element("details", "small", element("summary", "", "more"), rest.join("\n")));
}

// parts are what an event's row says.
function parts(r) {
  const [name, ...rest] = r.Text.trim().split(" ");
  const g = rest[0] && rest[0].startsWith("G") ? rest.shift() : "";
  return { name, g, arg: BigInt(rest[0] || 0), aux: BigInt(rest[1] || 0) };
}

// brief is a row in short.
function brief(r) {
  if (!r.Text.startsWith("      ")) return r.Text;
  const p = parts(r);
  return "— " + p.name + " " + p.g;
}

// sentence fills the words in braces of what an event says. What it cannot know here is left out.
function sentence(r, view) {
  const p = parts(r);
  const note = words.Events[p.name];
  if (!note) return [p.name, []];
  const shift = BigInt(words.Ring);
  const count = p.name === "Steal" ? p.aux >> 8n : p.arg >> shift;
  const fill = {
    G: p.g || "a goroutine", by: "M" + r.M, M: "M" + r.M, P: view.Ms[r.M].P || "its P", argP: "P" + p.arg, toM: "M" + p.arg, auxP: "P" + (p.aux & 255n),
    victim: "P" + (p.aux & 255n), takenP: "P" + (p.arg & 255n), takenM: "M" + (p.arg >> 8n), number: String(p.arg), count: String(count), index: String(p.arg & 3n),
  };
  return [note.text.replace(/\{(\w+)\}/g, (_, w) => fill[w] ?? "").replace(/ +\./g, "."), note.rules || []];
}

// access says what was done to a word, and what the word is.
function access(r) {
  const [word, op] = r.Text.split(" ");
  const verb = { Load: "reads", Store: "stores", CAS: "changes, if nobody has changed it since it looked (compare-and-swap),", Swap: "exchanges", Add: "adds to" }[op];
  if (!verb) return r.Text;
  const about = words.Words[word.replace(/\[\d+\]/g, "")] || (/^ms|^ps|^[a-z]+$/.test(word) ? "" : "It belongs to the models of machine and runtime.");
  return `M${r.M} ${verb} ${word}. ${about}`;
}

// show shows a row: what it did, the queues after it, and who could go on next.
function show(i) {
  const t = stepper.trail;
  byId("choice").replaceChildren();
  byId("say").replaceChildren();
  byId("state").replaceChildren();
  if (i < 0 || i >= t.Rows.length) return;
  stepper.at = i;
  const r = t.Rows[i], view = t.Views[r.View];
  for (const tr of stepper.body.querySelectorAll(".at")) tr.classList.remove("at");
  stepper.body.children[i].classList.add("at");
  // The list alone is scrolled, and not the page.
  const rows = byId("rows"), row = stepper.body.children[i];
  rows.scrollTop = row.offsetTop - (rows.clientHeight - row.offsetHeight) / 2;
  draw(view, r.M);
  let text = access(r), rules = [];
  if (r.Text.startsWith("      ")) [text, rules] = sentence(r, view);
  byId("say").append(element("div", "", text));
  for (const id of new Set([...rules, ...(text.match(/\b[A-Z]\d+\b(?=[^[]*\])/g) || [])]))
    if (words.Rules[id]) byId("say").append(element("div", "small", `${id}: ${words.Rules[id]}`));
  const next = t.Rows[i + 1];
  const choice = next && t.Choices[next.Step];
  if (!choice || next.Step === r.Step) return;
  const line = element("p", "", `Next, at step ${next.Step}, M${choice.Took < 0 ? 0 : choice.Took} goes on. `);
  if (choice.Took < 0) line.textContent = `Next, at step ${next.Step}, the clock jumps. `;
  const others = (choice.Able || []).filter((m) => m !== choice.Took);
  if (choice.Time && choice.Took >= 0) others.push("T");
  for (const m of others) {
    const b = element("button", "", m === "T" ? "Let the clock jump" : `Let M${m} go on`);
    b.onclick = () => run(decided(next.Step, m), i + 1);
    line.append(b, " ");
  }
  byId("choice").append(line);
}

// decided is the schedule up to a step, and then a move.
function decided(step, move) {
  const [program, list] = stepper.trail.Schedule.split("/");
  const before = list.split(",").filter((d) => d !== "-" && parseInt(d) < step);
  return program + "/" + [...before, `${step}>${move}`].join(",");
}

// draw draws the queues and who does what.
function draw(v, by) {
  const state = byId("state");
  v.Ps.forEach((p, i) => {
    const slots = element("div", "slots", element("div", "slot next", p.Next || "·"));
    const n = p.Slots.length;
    for (let s = 0; s < n; s++) {
      const full = ((s - p.Head) >>> 0) % n < ((p.Tail - p.Head) >>> 0);
      slots.append(element("div", full ? "slot in" : "slot", p.Slots[s] || "·"));
    }
    const owner = p.Idle ? "on the idle list" : p.Owner ? "owned by " + p.Owner : "no owner";
    state.append(element("div", "box", element("h2", "", `P${i}: ${owner}`), slots, element("div", "small", `runnext, ring; head ${p.Head}, tail ${p.Tail}`)));
  });
  const global = element("div", "slots");
  for (const g of v.Global || []) global.append(element("div", "slot in", g));
  state.append(element("div", "box", element("h2", "", "global queue"), global, element("div", "small", `nmspinning ${v.Spinning}${v.Wanted ? ", a spinner is wanted" : ""}`)));
  const ms = element("div", "box", element("h2", "", "Ms"));
  v.Ms.forEach((m, i) => ms.append(element("div", i === by ? "now" : "", `M${i} ${m.State} ${m.P} ${m.G}${m.At && m.At !== "access" ? " (" + m.At + ")" : ""}`)));
  const gs = element("div", "box", element("h2", "", "goroutines"));
  v.Gs.forEach((g, i) => gs.append(element("div", "small", `G${i + 1} ${g}`)));
  state.append(ms, gs);
}

// start runs the scheduler's test binary, whose TestPage calls ready.
async function start() {
  const raw = Uint8Array.from(atob(byId("wasm").textContent), (c) => c.charCodeAt(0));
  const plain = new Blob([raw]).stream().pipeThrough(new DecompressionStream("gzip"));
  const go = new Go();
  go.argv = ["sched.test", "-test.run=^TestPage$"];
  const { instance } = await WebAssembly.instantiate(await new Response(plain).arrayBuffer(), go.importObject);
  window.sched9 = { ready };
  go.run(instance);
}

// ready is called when the scheduler can be asked.
function ready() {
  for (const p of JSON.parse(sched9.programs())) byId("program").append(element("option", "", p.Name));
  byId("program").onchange = (e) => run(e.target.value + "/-");
  byId("run").onclick = () => run(byId("schedule").value.trim());
  byId("schedule").onkeydown = (e) => e.key === "Enter" && run(e.target.value.trim());
  const to = { first: () => 0, back: (at) => at - 1, forth: (at) => at + 1, last: (_, rows) => rows.length - 1, event: (at, rows) => rows.findIndex((r, i) => i > at && r.Text.startsWith("      ")) };
  for (const id in to) byId(id).onclick = () => {
    const i = to[id](stepper.at, stepper.trail.Rows);
    if (i >= 0 && i < stepper.trail.Rows.length) show(i);
  };
  let seed = 0;
  byId("search").onclick = () => {
    const found = JSON.parse(sched9.search(byId("program").value, seed, 200));
    seed += 200;
    byId("found").textContent = found ? "found one" : `${seed} orders tried: no rule is broken`;
    if (found) run(found);
  };
  document.onkeydown = (e) => {
    if (e.target.tagName !== "INPUT" && e.target.tagName !== "SELECT" && { ArrowRight: 1, ArrowLeft: 1 }[e.key]) byId(e.key === "ArrowRight" ? "forth" : "back").click();
  };
  onhashchange = () => run(decodeURIComponent(location.hash.slice(1)));
  run(location.hash ? decodeURIComponent(location.hash.slice(1)) : "ring/-");
  window.stepperReady = true;
}

start().catch((err) => {
  byId("about").textContent = `This page cannot be shown: ${err.message}. It needs a browser of 2023 or later.`;
  throw err;
});
