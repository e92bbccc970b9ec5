/**
 * The program of a thread that classifies words. It is asked with `{turns: [[[text, isApart]]]}` and answers
 * `{turns: [[[class, probability]]]}`, or `{reason}`. The class of a word is that of its first token, as such models are
 * trained; long turns are read in windows that overlap.
 */
export const THREAD_PROGRAM = `
"use strict"
const { parentPort, workerData } = require("node:worker_threads")
const { existsSync, readFileSync } = require("node:fs")
const { dirname, join } = require("node:path")

const load = async () => {
  const { Tokenizer } = require(workerData.tokenizers)
  const runtime = require(workerData.runtime)
  const settings = join(dirname(workerData.tokenizer), "tokenizer_config.json")
  const read = (file) => JSON.parse(readFileSync(file, "utf8"))
  const tokenizer = new Tokenizer(read(workerData.tokenizer), existsSync(settings) ? read(settings) : {})
  const session = await runtime.InferenceSession.create(workerData.weights, {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    logSeverityLevel: 3
  })
  const around = tokenizer.encode("").ids
  const half = Math.ceil(around.length / 2)
  const isByteLevel = [...tokenizer.get_vocab().keys()].some((token) => token.startsWith("\\u0120"))
  return { runtime, tokenizer, session, before: around.slice(0, half), after: around.slice(half), isByteLevel }
}

const run = async ({ after, before, runtime, session }, ids) => {
  const all = [...before, ...ids, ...after]
  const tensor = (values) => new runtime.Tensor("int64", BigInt64Array.from(values, BigInt), [1, values.length])
  const feeds = {}
  for (const name of session.inputNames) {
    if (name === "input_ids") feeds[name] = tensor(all)
    else if (name === "attention_mask") feeds[name] = tensor(all.map(() => 1))
    else if (name === "token_type_ids") feeds[name] = tensor(all.map(() => 0))
    else throw new Error("It has an unknown input: " + name + ".")
  }
  const outputs = await session.run(feeds)
  const logits = outputs.logits ?? outputs[session.outputNames[0]]
  if (logits.dims.length !== 3 || logits.dims[1] !== all.length || logits.dims[2] !== workerData.classes) {
    throw new Error("Its output has the dimensions " + logits.dims.join(" x ") + ", not 1 x tokens x " + workerData.classes + ".")
  }
  return (token) => {
    const from = (before.length + token) * workerData.classes
    const row = Array.from(logits.data.subarray(from, from + workerData.classes), Number)
    const highest = Math.max(...row)
    const sum = row.reduce((total, value) => total + Math.exp(value - highest), 0)
    return [row.indexOf(highest), 1 / sum]
  }
}

const classify = async (model, words) => {
  const room = Math.max(8, workerData.maxTokens - model.before.length - model.after.length - 2)
  const tokens = words.map(([text, isApart]) => {
    const ids = model.tokenizer.encode(model.isByteLevel && isApart ? " " + text : text, { add_special_tokens: false }).ids
    return ids.slice(0, room)
  })
  const found = words.map(() => [-1, 0])
  for (let begin = 0; begin < words.length;) {
    const ids = []
    const firsts = []
    let end = begin
    while (end < words.length && ids.length + tokens[end].length <= room) {
      firsts.push(ids.length)
      ids.push(...tokens[end])
      end++
    }
    const classOf = await run(model, ids)
    // Words without context on their left keep what the window before found.
    const known = begin === 0 ? 0 : Math.floor((end - begin) / 8)
    for (let at = begin; at < end; at++) {
      if (tokens[at].length > 0 && (at - begin >= known || found[at][0] < 0)) found[at] = classOf(firsts[at - begin])
    }
    if (end === words.length) break
    begin = Math.max(begin + 1, end - Math.floor((end - begin) / 4))
  }
  return found
}

const loading = load()
loading.catch(() => undefined)
parentPort.on("message", async ({ turns }) => {
  try {
    const model = await loading
    const found = []
    for (const words of turns) found.push(await classify(model, words))
    parentPort.postMessage({ turns: found })
  } catch (error) {
    parentPort.postMessage({ reason: error instanceof Error ? error.message : String(error) })
  }
})
`
