import { elementAt } from "../models/CommandSequences.js"
import { type Command, command, isThere, liesIn, type Model, parentOf, type Place } from "./EvaluatorModelState.js"

const isMalformed = (wanted: string) => wanted.split(".").some((level) => level === "")

export const makingFolder = (wanted: string): Command =>
  command(`make folder ${wanted}`, (model, { driver, project }) => ({
    ask: driver.createFolder({ project, path: wanted }),
    rejected: isMalformed(wanted) || model.folders.has(wanted) || !isThere(model, parentOf(wanted)) ? ["path"] : [],
    kinds: [["folder created"], ["folder rejected"]],
    then: (id) => model.folders.set(wanted, id)
  }))

const hasEvaluators = (model: Model, folder: string) =>
  [...model.evaluators.values()].some((one) => liesIn(one.folder, folder))

/** To a path, or into an existing folder under another name. */
export const movingFolder = (which: number, where: Place): Command =>
  command(`move folder ${which} to ${where}`, (model, { driver }) => {
    const found = elementAt(model.folders, which)
    if (found === undefined) return undefined
    const to =
      typeof where === "string" ? where : [model.path(where), "moved"].filter((level) => level !== "").join(".")
    const [from, id] = found
    const rejected =
      from !== to && (isMalformed(to) || model.folders.has(to) || liesIn(to, from) || !isThere(model, parentOf(to)))
    const moved = (old: string) => (liesIn(old, from) ? to + old.slice(from.length) : old)
    return {
      ask: driver.moveFolder(id, { path: to }),
      rejected: rejected ? ["path"] : [],
      kinds: [
        hasEvaluators(model, from) && from !== to ? ["folder moved with evaluators in it"] : [],
        ["move of a folder rejected"]
      ],
      then: () => {
        const entries = [...model.folders].map(([old, one]) => [moved(old), one] as const)
        model.folders.clear()
        for (const [now, one] of entries) model.folders.set(now, one)
        for (const one of model.evaluators.values()) one.folder = moved(one.folder)
      }
    }
  })

export const removingFolder = (which: number): Command =>
  command(`remove folder ${which}`, (model, { driver }) => {
    const found = elementAt(model.folders, which)
    if (found === undefined) return undefined
    const [gone, id] = found
    return {
      ask: driver.removeFolder(id),
      rejected: [],
      kinds: [hasEvaluators(model, gone) ? ["folder deleted with evaluators in it"] : [], []],
      then: () => {
        for (const old of [...model.folders.keys()]) if (liesIn(old, gone)) model.folders.delete(old)
        for (const one of model.evaluators.values()) if (liesIn(one.folder, gone)) one.folder = parentOf(gone)
      }
    }
  })
