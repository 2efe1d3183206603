#pragma once

// Hot loops marked K3_CLONES are compiled once per vector width and chosen when the program is
// loaded. Every clone gives the same bits: only separate IEEE multiplications and additions in
// source order, never fused (-ffp-contract=off). CMake's k3_hot_loops(target) sets what this needs.
#if defined(K3_TARGET_CLONES)
#define K3_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define K3_CLONES
#endif
