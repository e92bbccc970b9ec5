/** The color scheme: the system's, or one that was chosen in this browser. */

const THEMES = ["system", "light", "dark"] as const
export type Theme = (typeof THEMES)[number]

const KEY = "earshot.theme"

/** In a frame of another site a browser may refuse the storage. */
export const theme = (): Theme => {
  try {
    return THEMES.find((one) => one === localStorage.getItem(KEY)) ?? "system"
  } catch {
    return "system"
  }
}

export const nextTheme = (current: Theme): Theme => THEMES[(THEMES.indexOf(current) + 1) % THEMES.length] ?? "system"

export const setTheme = (chosen: Theme): void => {
  if (chosen === "system") delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = chosen
  try {
    if (chosen === "system") localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, chosen)
  } catch {
    // The theme lasts as long as the page.
  }
}

/** Colors of the current scheme, for canvases. */
export const colorOf = (name: string): string => {
  const probe = document.createElement("span")
  probe.style.color = `var(--${name})`
  document.body.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
