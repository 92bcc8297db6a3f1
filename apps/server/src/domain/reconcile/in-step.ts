interface Keyed {
  readonly key: string
}

export interface Step<Left, Right> {
  readonly key: string
  readonly left: Left | undefined
  readonly right: Right | undefined
}

/** Walks two sequences that are ordered by key side by side, and holds no more than one of each. */
export async function* inStep<Left extends Keyed, Right extends Keyed>(
  lefts: AsyncIterable<Left>,
  rights: AsyncIterable<Right>,
): AsyncGenerator<Step<Left, Right>> {
  const [leftSide, rightSide] = [lefts[Symbol.asyncIterator](), rights[Symbol.asyncIterator]()]
  try {
    let [left, right] = await Promise.all([leftSide.next(), rightSide.next()])
    while (left.done !== true || right.done !== true) {
      const leftKey = left.done === true ? undefined : left.value.key
      const rightKey = right.done === true ? undefined : right.value.key
      const takeLeft = rightKey === undefined || (leftKey !== undefined && leftKey <= rightKey)
      const takeRight = leftKey === undefined || (rightKey !== undefined && rightKey <= leftKey)
      yield {
        key: (takeLeft ? leftKey : rightKey) ?? '',
        left: takeLeft ? (left.value as Left) : undefined,
        right: takeRight ? (right.value as Right) : undefined,
      }
      if (takeLeft) left = await leftSide.next()
      if (takeRight) right = await rightSide.next()
    }
  } finally {
    await Promise.all([leftSide.return?.(), rightSide.return?.()])
  }
}
