/** Pages of the manual: buttons that copy code, and lists that are folded on a phone. */

for (const block of document.querySelectorAll(".code")) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    const code = block.querySelector("code")?.textContent ?? "";
    try {
      await navigator.clipboard.writeText(code.trimEnd());
      button.textContent = "Copied";
    } catch {
      // The page of a tunnel by another name than localhost has no clipboard.
      getSelection()?.selectAllChildren(block.querySelector("code") as Element);
      button.textContent = "Selected";
    }
    setTimeout(() => button.textContent = "Copy", 2000);
  });
  block.append(button);
}

const isNarrow = matchMedia("(max-width: 70rem)");
const isPhone = matchMedia("(max-width: 50rem)");

/** Beside the text the lists are open, above it they are folded. */
function fold() {
  for (const [name, isAbove] of ([["pages", isPhone], ["contents", isNarrow]] as const)) {
    const list = document.querySelector(`details.${name}`);
    if (list instanceof HTMLDetailsElement) list.open = !isAbove.matches;
  }
}
fold();
isNarrow.addEventListener("change", fold);
isPhone.addEventListener("change", fold);

document.querySelector(".pages [aria-current]")?.scrollIntoView({ block: "nearest" });
