/** Why scenarios cannot be played: the node or the file of scenarios cannot be used. The message says which. */
export class ScenarioError extends Error {}
