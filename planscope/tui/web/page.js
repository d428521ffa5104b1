// What the terminal shows is not ours: a click on an address in it must not lead anywhere.
window.open = () => null;

document.addEventListener("DOMContentLoaded", () => {
  document.getElementById("again").addEventListener("click", () => window.location.reload());
});
