/** The two inputs of a join by the caller's words. */

export type Side = "left" | "right";

export const otherSide = (side: Side): Side => (side === "left" ? "right" : "left");
