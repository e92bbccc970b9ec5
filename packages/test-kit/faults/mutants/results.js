// Mutants of the rules about results, runs, assertions and metrics.
import { source, tests } from "./tests.js"

/** @type {import("./index.js").Mutants} */
export const resultMutants = [
  {
    operator: "boundary",
    name: "a success rate that equals the minimum of a gate",
    file: source("results/GateRules"),
    find: "successRate < minPassRate",
    replace: "successRate <= minPassRate",
    test: tests.rules,
    killedBy: /a result passes if it is complete and judged/
  },
  {
    operator: "boundary",
    name: "a difference that equals its tolerance",
    file: source("results/Compare"),
    find: "Math.abs(difference) <= Math.max(",
    replace: "Math.abs(difference) < Math.max(",
    test: tests.comparison,
    killedBy: /a difference that equals its tolerance is none/
  },
  {
    operator: "boundary",
    name: "a run that is overdue a millisecond too late",
    file: source("results/RunLifecycle"),
    find: "now >= startedAt +",
    replace: "now > startedAt +",
    test: tests.lifecycle,
    killedBy: /a run is overdue from the instant/
  },
  {
    operator: "boundary",
    name: "a run that is attempted four times",
    file: source("results/RunLifecycle"),
    find: "attempts < MAX_RUN_ATTEMPTS",
    replace: "attempts <= MAX_RUN_ATTEMPTS",
    test: tests.lifecycle,
    killedBy: /a run whose workers are lost is taken up 3 times/
  },
  {
    operator: "boundary",
    name: "a lease that holds at the instant of its end",
    file: source("results/WorkerRuns"),
    find: "run.leaseUntil <= (yield* DateTime.now)",
    replace: "run.leaseUntil < (yield* DateTime.now)",
    test: tests.models,
    killedBy: /sqlite a lease is not valid from the millisecond of its end/
  },
  {
    operator: "boundary",
    name: "pass^k for one run too few",
    file: source("results/Repeats"),
    find: "MAX_K = 100",
    replace: "MAX_K = 99",
    test: tests.rules,
    killedBy: /pass\^k is computed for up to 100 runs/
  },
  {
    operator: "boundary",
    name: "a conversation with the least number of turns",
    file: source("results/AssertionRules"),
    find: "count < min",
    replace: "count <= min",
    test: tests.assertions,
    killedBy: /turns/
  },
  {
    operator: "boundary",
    name: "an answer that takes exactly the allowed time",
    file: source("results/AssertionRules"),
    find: "slowest > milliseconds",
    replace: "slowest >= milliseconds",
    test: tests.assertions,
    killedBy: /a latency limit is met exactly where no answer takes longer/
  },
  {
    operator: "order",
    name: "metrics compared before success",
    file: source("results/Compare"),
    find: 'successRate.change === "better" || successRate.change === "worse"',
    replace: "false",
    test: tests.comparison,
    killedBy: /a scenario is as its success rate/
  },
  {
    operator: "order",
    name: "tools called in another order",
    file: source("results/AssertionRules"),
    find: "if (next < tools.length && name === tools[next]) next++",
    replace: "if (tools.includes(name)) next++",
    test: tests.assertions,
    killedBy: /a tool order is met/
  },
  {
    operator: "order",
    name: "a difference with its sides exchanged",
    file: source("results/Compare"),
    find: "difference: result - base, change",
    replace: "difference: Math.abs(result - base), change",
    test: tests.comparison,
    killedBy: /exchanging the results negates the differences/
  },
  {
    operator: "order",
    name: "a tolerance of the result instead of the base",
    file: source("results/Compare"),
    find: "given * Math.abs(before)",
    replace: "given * Math.abs(after)",
    test: tests.comparison,
    killedBy: /the change of a metric is that of the mean|a difference that equals its tolerance/
  },
  {
    operator: "rounding",
    name: "a default tolerance of a fifth",
    file: source("results/Compare"),
    find: "DEFAULT_TOLERANCE = 0.25",
    replace: "DEFAULT_TOLERANCE = 0.2",
    test: tests.comparison,
    killedBy: /a difference that equals its tolerance is none/
  },
  {
    operator: "rounding",
    name: "one standard error instead of two",
    file: source("results/Compare"),
    find: "STANDARD_ERRORS = 2",
    replace: "STANDARD_ERRORS = 1",
    test: tests.comparison,
    killedBy: /the change of a metric is that of the mean|a difference that equals its tolerance/
  },
  {
    operator: "missing part",
    name: "squares that are not added up over scenarios",
    file: source("results/Compare"),
    find: "squares: one.squares + (sum?.squares ?? 0)",
    replace: "squares: one.squares",
    test: tests.comparison,
    killedBy: /the change of a metric is that of the mean/
  },
  {
    operator: "missing part",
    name: "a binary metric measured once that does not decide",
    file: source("results/Compare"),
    find: "given !== null || metric.isBinary || isRepeated(base, result)",
    replace: "given !== null || isRepeated(base, result)",
    test: tests.comparison,
    killedBy: /a scenario is as its success rate/
  },
  {
    operator: "missing part",
    name: "one noisy number that decides",
    file: source("results/Compare"),
    find: "given !== null || metric.isBinary || isRepeated(base, result)",
    replace: "true",
    test: tests.comparison,
    killedBy: /a scenario is as its success rate/
  },
  {
    operator: "type",
    name: "a number of a deciding metric taken for true or false",
    file: source("results/SuccessCriteria"),
    find: 'status === "scored" && typeof value === "boolean" ? value : null',
    replace: 'status === "scored" ? Boolean(value) : null',
    test: tests.rules,
    killedBy: /the criteria of a run are its assertions/
  },
  {
    operator: "missing part",
    name: "a worker's report that does not count",
    file: source("results/SuccessCriteria"),
    find: "...(reported === null\n",
    replace: "...(reported !== false\n",
    test: tests.rules,
    killedBy: /the criteria of a run are its assertions|a run is a success if a criterion passed/
  },
  {
    operator: "order",
    name: "a criterion that passed before one that failed",
    file: source("results/SuccessCriteria"),
    find: "criteria.some(({ passed }) => passed === false) ? false : criteria.some(({ passed }) => passed === true) ? true : null",
    replace:
      "criteria.some(({ passed }) => passed === true) ? true : criteria.some(({ passed }) => passed === false) ? false : null",
    test: tests.rules,
    killedBy: /a run is a success if a criterion passed and none failed/
  },
  {
    operator: "missing part",
    name: "a gate that ignores canceled runs",
    file: source("results/GateRules"),
    // eslint-disable-next-line earshot/vocabulary -- a run's status in the interface's responses
    find: "cancelled > 0 ?",
    // eslint-disable-next-line earshot/vocabulary -- the same
    replace: "cancelled > 99 ?",
    test: tests.rules,
    killedBy: /a result passes if it is complete and judged/
  },
  {
    operator: "missing part",
    name: "a gate that ignores deleted runs",
    file: source("results/GateRules"),
    find: "of.deleted > 0 ?",
    replace: "of.deleted > 99 ?",
    test: tests.rules,
    killedBy: /a result passes if it is complete and judged/
  },
  {
    operator: "missing part",
    name: "a gate that ignores scenarios with a mixed change",
    file: source("results/GateRules"),
    find: 'one.change === "worse" || one.change === "mixed"',
    replace: 'one.change === "worse"',
    test: tests.rules,
    killedBy: /every scenario that became worse is named/
  },
  {
    operator: "permission",
    name: "runs that nothing decided, accepted without being asked for",
    file: source("results/GateRules"),
    find: "gate.allowUnjudged || unjudged === 0",
    replace: "!gate.allowUnjudged || unjudged === 0",
    test: tests.rules,
    killedBy: /a result passes if it is complete and judged/
  },
  {
    operator: "rounding",
    name: "pass^k as a power of the success rate",
    file: source("results/Repeats"),
    find: "estimate *= Math.max(0, passed - k) / (decided - k)",
    replace: "estimate *= passed / decided",
    test: tests.rules,
    killedBy: /pass\^k is the share of the choices/
  },
  {
    operator: "type",
    name: "an unknown success that counts in repeats",
    file: source("results/Repeats"),
    find: '(status === "completed" && success !== null)',
    replace: 'status === "completed"',
    test: tests.rules,
    killedBy: /pass\^k is the share of the choices/
  },
  {
    operator: "scope",
    name: "scenarios without a decided run in the mean of pass^k",
    file: source("results/Repeats"),
    find: "all.filter(({ decided }) => decided > 0)",
    replace: "all",
    test: tests.rules,
    killedBy: /pass\^k of a result is the mean/
  },
  {
    operator: "missing part",
    name: "a result that succeeds before its runs have ended",
    file: source("results/Evaluate"),
    find: "open === 0 && successful > 0 ? true",
    replace: "successful > 0 ? true",
    test: tests.lifecycle,
    killedBy: /the result fails with its first unsuccessful run/
  },
  {
    operator: "missing part",
    name: "a timeout that does not lower the success rate",
    file: source("results/Evaluate"),
    find: ' || status === "failed" || status === "timeout"\n',
    replace: ' || status === "failed"\n',
    test: tests.lifecycle,
    killedBy: /the success rate is that of runs with a known success/
  },
  {
    operator: "scope",
    name: "a number released by a run that did not need it",
    file: source("results/Deletion"),
    find: "held.needsNumber && phoneNumberId !== null",
    replace: "phoneNumberId !== null",
    test: tests.lifecycle,
    killedBy: /a number is released if and only if/
  },
  {
    operator: "case",
    name: "an assertion that ignores case when it should not",
    file: source("results/AssertionRules"),
    find: 'isCaseSensitive ? one.normalize("NFC")',
    replace: '!isCaseSensitive ? one.normalize("NFC")',
    test: tests.assertions,
    killedBy: /contains is met by exactly the texts/
  },
  {
    operator: "scope",
    name: "an assertion about one speaker that looks at both",
    file: source("results/AssertionRules"),
    find: '(speaker === "any" || turn.speaker === speaker) && matches',
    replace: "matches",
    test: tests.assertions,
    killedBy: /contains is met by exactly the texts/
  },
  {
    operator: "type",
    name: "a number in a tool's arguments that equals a text",
    file: source("results/AssertionRules"),
    find: "return actual === expected",
    replace: "return String(actual) === String(expected)",
    test: tests.assertions,
    killedBy: /tool/
  },
  {
    operator: "boundary",
    name: "an ending by the other speaker",
    file: source("results/AssertionRules"),
    find: "return of.endedReason === `${assertion.speaker}_ended_call`",
    replace: "return of.endedReason !== null",
    test: tests.assertions,
    killedBy: /ended_by is met by the reason/
  },
  {
    operator: "boundary",
    name: "turns that touch kept apart",
    file: source("metrics/Speech"),
    find: "segment.start <= (last.end ?? last.start)",
    replace: "segment.start < (last.end ?? last.start)",
    test: tests.speech,
    killedBy: /speech, overlaps and gaps are those of every millisecond/
  },
  {
    operator: "order",
    name: "a turn inside another that shortens it",
    file: source("metrics/Speech"),
    find: "last.end = Math.max(last.end, end)",
    replace: "last.end = end",
    test: tests.speech,
    killedBy: /speech, overlaps and gaps are those of every millisecond/
  },
  {
    operator: "order",
    name: "a turn inside another turn of its speaker that shortens it",
    file: source("metrics/Speech"),
    find: "Math.max(last.end ?? segment.end, segment.end)",
    replace: "segment.end",
    test: tests.speech,
    killedBy: /speech, overlaps and gaps are those of every millisecond/
  },
  {
    operator: "boundary",
    name: "an overlap that lasts as long as the longer turn",
    file: source("metrics/Speech"),
    find: "const until = Math.min(last.end, end)",
    replace: "const until = Math.max(last.end, end)",
    test: tests.speech,
    killedBy: /speech, overlaps and gaps are those of every millisecond/
  },
  {
    operator: "type",
    name: "turns of blanks taken for speech",
    file: source("metrics/Speech"),
    find: 'if (turn.content.trim() === "") continue',
    replace: 'if (turn.content === "") continue',
    test: tests.speech,
    killedBy: /turns without text are not speech/
  },
  {
    operator: "order",
    name: "words that override the times of their turn",
    file: source("metrics/Speech"),
    find: "if (turn.startTime === undefined && word.startTime !== undefined)",
    replace: "if (word.startTime !== undefined)",
    test: tests.speech,
    killedBy: /a turn without times has those of its words/
  },
  {
    operator: "order",
    name: "a configured direction that is ignored",
    file: source("metrics/Direction"),
    find: 'if (configured === "higher" || configured === "lower") return configured',
    replace: 'if (configured === "higher") return configured',
    test: tests.comparison,
    killedBy: /the configuration of a metric decides its direction/
  },
  {
    operator: "missing part",
    name: "a formula without its direction",
    file: source("metrics/Direction"),
    find: "if (formula !== null) return formula",
    replace: 'if (formula === "higher") return formula',
    test: tests.comparison,
    killedBy: /every predefined metric has its direction/
  },
  {
    operator: "type",
    name: "the direction of a predefined metric for values of another type",
    file: source("metrics/Direction"),
    find: "if (isSameKind) return predefined.better",
    replace: "if (predefined !== undefined) return predefined.better",
    test: tests.comparison,
    killedBy: /a predefined slug says nothing about a metric with another type/
  },
  {
    operator: "missing part",
    name: "custom code that is as free as a formula",
    file: source("metrics/Price"),
    find: '(metric.customCode ?? "") === "" && isFormulaName',
    replace: "isFormulaName",
    test: tests.rules,
    killedBy: /a formula is free, custom code costs/
  }
]
