(function () {
  "use strict";
  var root = document.documentElement;

  function button(words, press) {
    var made = document.createElement("button");
    made.type = "button";
    made.textContent = words;
    made.addEventListener("click", press);
    return made;
  }

  // Light or dark: as the system has it, until somebody presses.
  function remembered() {
    try { return localStorage.getItem("windrow-theme"); } catch (error) { return null; }
  }
  function isDark() {
    var theme = root.getAttribute("data-theme");
    if (theme) { return theme === "dark"; }
    return window.matchMedia("(prefers-color-scheme: dark)").matches;
  }
  var toggle = button("", function () {
    var next = isDark() ? "light" : "dark";
    root.setAttribute("data-theme", next);
    try { localStorage.setItem("windrow-theme", next); } catch (error) { /* not kept */ }
    name();
  });
  function name() { toggle.textContent = isDark() ? "light" : "dark"; }
  if (remembered()) { root.setAttribute("data-theme", remembered()); }
  toggle.className = "theme";
  toggle.setAttribute("aria-label", "switch between light and dark");
  name();
  document.body.insertBefore(toggle, document.body.firstChild);

  // Claims: one verdict, one paper, or all.
  var rows = Array.prototype.slice.call(document.querySelectorAll("#claims tbody tr"));
  var chosen = { standing: "", paper: "" };
  var words = {
    holds: "holds", partly: "held where measured", fails: "does not hold", open: "cannot be judged",
    unmeasured: "not measured"
  };

  function show() {
    rows.forEach(function (row) {
      row.hidden = Object.keys(chosen).some(function (key) {
        return chosen[key] && row.getAttribute("data-" + key) !== chosen[key];
      });
    });
    document.querySelectorAll("#filters button").forEach(function (one) {
      var pressed = chosen[one.dataset.key] === one.dataset.value;
      one.setAttribute("aria-pressed", String(pressed));
    });
  }
  function filters(key) {
    var found = [];
    rows.forEach(function (row) {
      var value = row.getAttribute("data-" + key);
      if (found.indexOf(value) < 0) { found.push(value); }
    });
    var group = document.createElement("div");
    if (found.length < 2) { return group; }
    [""].concat(found).forEach(function (value) {
      var all = key === "paper" ? "all papers" : "all verdicts";
      var one = button(value ? words[value] || value : all, function () {
        chosen[key] = value;
        show();
      });
      one.dataset.key = key;
      one.dataset.value = value;
      group.appendChild(one);
    });
    return group;
  }
  var bar = document.getElementById("filters");
  bar.appendChild(filters("standing"));
  bar.appendChild(filters("paper"));
  show();
}());
