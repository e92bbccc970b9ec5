/** What the terminal of this process can show. */

/** Whether stdout takes colors: a terminal, and no NO_COLOR. */
export const wantsColor = (): boolean => {
  const { FORCE_COLOR, NO_COLOR, TERM } = process.env
  if (NO_COLOR !== undefined && NO_COLOR !== "") return false
  return FORCE_COLOR !== undefined && FORCE_COLOR !== "0" ? true : process.stdout.isTTY && TERM !== "dumb"
}

/** Columns of the terminal; 100 if stdout is none. */
export const terminalColumns = (): number => (process.stdout.isTTY ? Math.max(20, process.stdout.columns) : 100)
