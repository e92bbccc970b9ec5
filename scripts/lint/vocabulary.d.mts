export const replacedWords: (
  name: string,
  path: string
) => ReadonlyArray<{ readonly word: string; readonly instead: string }>
export const replacedPhrases: (text: string) => ReadonlyArray<{ readonly phrase: string; readonly instead: string }>
