/** Containers on water. Decorative: the name stands beside it, or in the title of the page. */
export function Logo({ size = 28 }: { readonly size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden>
      <rect width="32" height="32" rx="8" fill="#0b4f4a" />
      <path d="M8 9h6v5H8zM15 9h9v5h-9zM8 15h10v5H8zM19 15h5v5h-5z" fill="#f2efe6" />
      <path
        d="M6 24c2.5 0 2.5-1.6 5-1.6s2.5 1.6 5 1.6 2.5-1.6 5-1.6 2.5 1.6 5 1.6"
        fill="none"
        stroke="#f08c4a"
        strokeWidth="2"
        strokeLinecap="round"
      />
    </svg>
  )
}
