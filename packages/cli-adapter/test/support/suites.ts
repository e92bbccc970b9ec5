/** A scenario of two runs that finish without a language model: the agent asks for a date, and the caller answers. */
export const booking = (answer: string) => ({
  key: "books",
  name: "Books a table",
  type: "conditional_actions",
  frequency: 2,
  conditional_actions: {
    role: "Caller",
    conditions: [
      { id: 0, condition: "FIRST_MESSAGE", action: "Hello." },
      { id: 1, condition: "The agent asks for the date", action: answer }
    ]
  }
})
