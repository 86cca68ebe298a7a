// Nothing here is needed to read the page: it opens what a link leads to, and
// moves on from one marked access to the next.
(function () {
  "use strict";
  function openTarget() {
    var target = location.hash && document.getElementById(location.hash.slice(1));
    for (var at = target; at; at = at.parentElement)
      if (at.tagName === "DETAILS") at.open = true;
    if (target) target.scrollIntoView({ block: "nearest" });
  }
  addEventListener("hashchange", openTarget);
  openTarget();

  document.querySelectorAll("details.ptx").forEach(function (code) {
    var marks = code.querySelectorAll("mark");
    if (!marks.length) return;
    var next = 0, button = document.createElement("button");
    button.textContent = "next marked access";
    button.addEventListener("click", function () {
      var mark = marks[next++ % marks.length], box = mark.closest("pre");
      box.scrollTop = mark.offsetTop - box.offsetTop - box.clientHeight / 2;
    });
    code.querySelector("summary").after(button);
  });
})();
