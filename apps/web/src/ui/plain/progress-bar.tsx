interface ProgressBarProps {
  /** What is under way. */
  readonly label: string
  /** Between 0 and 1; undefined while nobody knows. */
  readonly share: number | undefined
  /** "1.2 of 4 GB", read out in place of the bare number. */
  readonly told?: string
}

export function ProgressBar({ label, share, told }: ProgressBarProps) {
  const percent = share === undefined ? undefined : Math.min(1, Math.max(0, share)) * 100
  return (
    <div
      className={share !== undefined && share >= 1 ? 'progress progress-done' : 'progress'}
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent === undefined ? undefined : Math.floor(percent)}
      aria-valuetext={told}
    >
      <div
        className={share === undefined ? 'progress-bar skeleton' : 'progress-bar'}
        style={{ width: `${percent ?? 100}%` }}
      />
    </div>
  )
}
