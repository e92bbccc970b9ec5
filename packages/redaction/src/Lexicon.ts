/** Closed classes of words that many recognizers share. All lower case. */

const words = (text: string): ReadonlyArray<string> => text.trim().split(/\s+/)

export const wordSet = (text: string): ReadonlySet<string> => new Set(words(text))

/**
 * What a token is to the patterns, one letter a class, so that a whole call becomes a short string that plain regular
 * expressions can read: `d` zero to nine, `o` oh, `t` ten to nineteen, `y` tens, `z` a hyphenated number, `h` hundred,
 * `k` thousand, `l` million and up, `x` double or triple, `N` digits, `X` letters with digits, `F` ordinal, `s` second,
 * `M` month, `m` a month's name that is also a word, `W` weekday, `R` relative day, `A` am or pm, `c` o'clock, `u` unit
 * of time, `q` half or quarter, `e` part of the day, `b` this, next, last, `$` currency sign, `C` currency word, `G` hundreds of
 * the sort of "grand", `a` a, `T` the, `&` and, `f` of, `i` in, `n` turn or line break, `P` placeholder, `L` one letter, `w` any other word;
 * punctuation stands for itself.
 */
export type TokenClass = string

export const classes: ReadonlyMap<string, readonly [TokenClass, number]> = (() => {
  const map = new Map<string, readonly [TokenClass, number]>()
  const add = (cls: TokenClass, list: string, first = 0, step = 1) =>
    words(list).forEach((word, at) => map.set(word, [cls, first + at * step]))
  add("d", "zero one two three four five six seven eight nine")
  for (const nought of words("nought naught nil aught")) map.set(nought, ["d", 0])
  map.set("niner", ["d", 9])
  add("o", "oh")
  add("t", "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen", 10)
  add("y", "twenty thirty forty fifty sixty seventy eighty ninety", 20, 10)
  map.set("fourty", ["y", 40])
  map.set("ninty", ["y", 90])
  map.set("hundred", ["h", 100])
  map.set("thousand", ["k", 1000])
  map.set("million", ["l", 1e6])
  map.set("billion", ["l", 1e9])
  map.set("trillion", ["l", 1e12])
  for (const lakh of words("lakh lakhs lac lacs")) map.set(lakh, ["l", 1e5])
  for (const crore of words("crore crores")) map.set(crore, ["l", 1e7])
  map.set("double", ["x", 2])
  map.set("triple", ["x", 3])
  map.set("treble", ["x", 3])
  map.set("quadruple", ["x", 4])
  add("F", "first", 1)
  map.set("second", ["s", 2])
  add(
    "F",
    "third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth",
    3
  )
  map.set("thirtieth", ["F", 30])
  add("M", "january february march april may june july august september october november december", 1)
  add("M", "jan feb mar apr may jun jul aug sep oct nov dec", 1)
  map.set("sept", ["M", 9])
  for (const [word, month] of [
    ["may", 5],
    ["march", 3],
    ["mar", 3],
    ["august", 8],
    ["april", 4],
    ["june", 6],
    ["dec", 12],
    ["jan", 1],
    ["sep", 9]
  ] as const) {
    map.set(word, ["m", month])
  }
  add("W", "monday tuesday wednesday thursday friday saturday sunday", 1)
  add("W", "mondays tuesdays wednesdays thursdays fridays saturdays sundays", 1)
  add("W", "mon tues wed thur thurs fri", 1)
  add("R", "today tomorrow yesterday")
  add("A", "am pm")
  map.set("o'clock", ["c", 0])
  map.set("oclock", ["c", 0])
  add(
    "u",
    "minute minutes hour hours day days week weeks month months year years fortnight weekend weekends decade decades mins min hrs hr secs seconds"
  )
  add("q", "half quarter")
  add("e", "morning afternoon evening night noon midnight midday lunchtime dawn dusk sunrise sunset")
  add("b", "this next last every each coming past previous following upcoming")
  for (const sign of "$€£¥₹₽₩₺₪฿") map.set(sign, ["$", 0])
  add(
    "C",
    "dollar dollars buck bucks euro euros pound pounds cent cents pence quid yen rupee rupees peso pesos usd eur gbp francs kronor yuan dirhams"
  )
  map.set("grand", ["G", 1000])
  add("a", "a an")
  map.set("the", ["T", 0])
  map.set("and", ["&", 0])
  map.set("of", ["f", 0])
  map.set("in", ["i", 0])
  return map
})()

export const fillers = wordSet(
  "uh um er erm ah hmm mm uhh umm eh uhm huh like well so okay ok yeah yep yes right alright"
)

/** What one side says while the other is still giving a number. Only these may stand between the parts of one value. */
export const acknowledgements =
  wordSet(`uh um er erm ah hmm mm mhm uhh umm eh uhm huh okay ok yeah yep yes right alright sure
 and then next go on ahead got it great thanks thank you perfect hm mhmm mmhmm mmm good i'm listening continue please
 sorry no wait actually mean make that i correction that's it's is so let me see
 followed`)

/** The spelling alphabets people use on the telephone (ICAO and common variants). */
export const spellingWords: ReadonlyMap<string, string> = new Map(
  words(`alpha alfa bravo charlie delta echo foxtrot golf hotel india juliet juliett kilo lima mike november oscar papa
 quebec romeo sierra tango uniform victor whiskey whisky xray x-ray yankee zulu`).map((word) => [word, word[0] ?? ""])
)

/** Words that may stand between a letter and the word that explains it: "b as in boy". */
export const explainers = wordSet("as for like is")

/** Top-level domains people say aloud. Others are read in written addresses only. */
export const spokenTlds =
  wordSet(`com org net edu gov mil io co uk us ca de fr es it nl be ch at se no dk fi pl ie au nz in jp cn br mx za
 info biz me tv app dev ai xyz online site shop store tech cloud eu hu cz gr pt ro ru tr il sg hk kr ar cl blog health live
 ly gg cc fm li lt lv sk si rs ua bg hr ph vn pk ng ke gh ma sa ae qa lk design studio art bank law software systems works world
 life finance capital team care dental clinic church fit press news media photography academy school email name pro travel agency company media digital services solutions group`)

/** Function words that are frequent last names too: "my name is Will Young". */
export const surnameWords: ReadonlySet<string> = wordSet("young little long day")

/** The most common words, over which no name or place is claimed without a reason beside the word itself. */
export const functionWords =
  wordSet(`a an the and or but if then so as at by for from in into of off on onto out over to up with without
 about after before between during through under above again i me my mine myself you your yours yourself he him his she
 her hers it its we us our ours they them their theirs this that these those who whom whose which what when where why
 how is am are was were be been being have has had do does did done doing will would shall should can could may might
 must not no nor yes yeah ok okay please thanks thank hello hi hey sorry sure well just only also too very really here
 there now today i'm it's that's i'll i'd i've you're we're they're he's she's don't doesn't didn't can't won't isn't
 let's there's what's here's who's get got go going gonna want wanna need know think say said tell told see look make
 made take give put call called use used find work feel try leave good new first last long great little own other old
 right big high different small large next early young important few public bad same able all any some many much more
 most such one two three four five six seven eight nine ten zero like because than back even still way because while
 email address account number card phone name order mail box street`)

/** Words that name the number after them, also without a space between; product and order codes begin with others. */
export const numberNames =
  wordSet(`tel telephone phone phones fon mobile mob cell cellphone fax call text ring dial number num nr no card visa mastercard amex
 discover credit debit cc cvv cvc csc exp ssn sin social itin account acct pin passcode routing iban zip vin dob dl mrn npi id member policy`)
