/** Mistakes in an enable request, each at the property where it is. */

/** One mistake. */
export interface Mistake {
  /** Such as `params.bus` or `schedule.start_frame`; empty for a mistake without a place. */
  readonly path: string
  readonly message: string
}

/** A mistake without a place. */
export function mistake(message: string): Mistake {
  return { path: '', message }
}

/**
 * A mistake of a parameter.
 *
 * @param state - The rest of the sentence, such as `is 11, expected a number from 0 to 10`.
 */
export function parameterMistake(name: string, state: string): Mistake {
  return { path: `params.${name}`, message: `Parameter "${name}" ${state}` }
}

/** A mistake of a property beside the parameters, which may also be among them. */
export function propertyMistake(name: string, state: string): Mistake {
  return { path: name, message: `Parameter "${name}" ${state}` }
}
