// The keyboard.

/** What a key does to the player. */
function keyPressed(player, event) {
  if (event.ctrlKey || event.metaKey || event.altKey || byId("keys").open) return;
  const { tagName, type } = event.target;
  // What is written into a field, or chosen in it, is meant for it.
  if (tagName === "SELECT" || tagName === "SUMMARY" || (tagName === "INPUT" && type !== "range")) return;
  // A button that has the focus answers to these itself.
  if (tagName === "BUTTON" && (event.key === " " || event.key === "Enter")) return;
  const far = event.shiftKey ? 10 : 1;
  const actions = {
    " ": () => (player.playing ? player.pause() : player.play()),
    ArrowRight: () => player.stepBy(far),
    ArrowLeft: () => player.stepBy(-far),
    Home: () => player.goToStep(0),
    End: () => player.goToStep(player.run.times.length),
    "+": () => player.faster(1),
    "-": () => player.faster(-1),
    p: () => player.next(1, false),
    P: () => player.next(-1, false),
    m: () => player.next(1, true),
    M: () => player.next(-1, true),
    u: () => player.scheduler?.undo(),
    r: () => player.scheduler?.random(),
    Escape: () => player.choose(null),
    "?": () => byId("keys").showModal(),
  };
  const action = actions[event.key];
  if (!action) return;
  event.preventDefault();
  action();
}
