/** Parts of patterns over token classes (see Lexicon.ts), in which a letter stands for one token. */

export const NUMBER = "(?:z|yd?|t|d|N)"
export const DAY = "(?:yF|ys|F|s|z|yd?|t|d|N)"
export const YEAR = "(?:,?(?:[ty](?:z|yd?|t|od)|[ty]h&?(?:z|yd?|t|d)?|dk&?(?:z|yd?|t|d|od)?|'?N))"
