/** Answers to the questions of an exercise, as a person types them. */

import type { Scenario } from '#grid/contract/scenario.ts'

type Question = NonNullable<Scenario['scenario']>['questions'][number]

/** An answer as text; commas separate the items of a list. */
export function showAnswer(answer: Question['answer']): string {
  return typeof answer === 'object' ? answer.join(', ') : String(answer)
}

/** Tests an answer: numbers within the tolerance, lists in any order, texts in any letter case. */
export function isRight({ answer, tolerance }: Pick<Question, 'answer' | 'tolerance'>, given: string): boolean {
  if (typeof answer === 'number') return given.trim() !== '' && Math.abs(Number(given) - answer) <= tolerance
  const fold = (text: string) =>
    text
      .toLowerCase()
      .split(',')
      .map((one) => one.trim())
      .sort()
      .join('\n')
  return fold(given) === fold(showAnswer(answer))
}
