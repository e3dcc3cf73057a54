/** Compares two texts of one alphabet without telling by its duration where they differ; lengths are no secret. */
export const equalInConstantTime = (left: string, right: string): boolean => {
  if (left.length !== right.length) return false
  let difference = 0
  for (let index = 0; index < left.length; index++) {
    difference |= left.charCodeAt(index) ^ right.charCodeAt(index)
  }
  return difference === 0
}
