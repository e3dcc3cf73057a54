import { findProblems } from './find-problems.ts'
import type { Tarball } from './pack.ts'

const formatSize = (bytes: number): string => `${Math.ceil(bytes / 1_000)} kB`

/** Prints the sizes of tarballs, and their problems. Returns whether they are fit to publish. */
export const checkTarballs = (tarballs: readonly Tarball[], root: string): boolean => {
  for (const { manifest, size, unpackedSize, files } of tarballs) {
    const sizes = `${formatSize(size)} packed, ${formatSize(unpackedSize)} installed`
    console.log(`${manifest.name.padEnd(20)} ${manifest.version}  ${files.length} files, ${sizes}`)
  }
  const problems = tarballs.flatMap((tarball) =>
    findProblems(tarball, root).map((problem) => `${tarball.manifest.name}: ${problem}`),
  )
  for (const problem of problems) console.error(problem)
  return problems.length === 0
}
