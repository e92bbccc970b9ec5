/** The color scheme: the system's, or one that was chosen in this browser. */

const THEMES = ["system", "light", "dark"] as const
export type Theme = (typeof THEMES)[number]

const KEY = "earshot.theme"

export const theme = (): Theme => THEMES.find((one) => one === localStorage.getItem(KEY)) ?? "system"

export const nextTheme = (current: Theme): Theme => THEMES[(THEMES.indexOf(current) + 1) % THEMES.length] ?? "system"

export const setTheme = (chosen: Theme): void => {
  if (chosen === "system") {
    localStorage.removeItem(KEY)
    delete document.documentElement.dataset.theme
  } else {
    localStorage.setItem(KEY, chosen)
    document.documentElement.dataset.theme = chosen
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
