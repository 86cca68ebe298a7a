// RUN: fuse-opt %s -split-input-file -verify-diagnostics

// linear 1: positive.
// expected-error @below {{expected factor to be a positive, finite f64, but got 0.000000e+00 : f64; write it as factor = 8.0}}
#a = #fuse.rope_linear<factor = 0.0>

// -----

// linear 1: finite.
// expected-error @below {{expected factor to be a positive, finite f64, but got}}
#a = #fuse.rope_linear<factor = 0x7FF0000000000000 : f64>

// -----

// linear 1: f64.
// expected-error @below {{expected factor to be a positive, finite f64, but got 8.000000e+00 : f32; write it as factor = 8.0}}
#a = #fuse.rope_linear<factor = 8.0 : f32>

// -----

// ntk 1: positive.
// expected-error @below {{expected factor to be a positive, finite f64, but got -1.000000e+00 : f64}}
#a = #fuse.rope_ntk<factor = -1.0>

// -----

// llama3 1: the factor.
// expected-error @below {{expected factor to be a positive, finite f64, but got 0.000000e+00 : f64}}
#a = #fuse.rope_llama3<factor = 0.0, low_freq_factor = 1.0, high_freq_factor = 4.0, original_max_position = 8192>

// -----

// llama3 1: the low factor.
// expected-error @below {{expected low_freq_factor to be a positive, finite f64, but got 0.000000e+00 : f64}}
#a = #fuse.rope_llama3<factor = 8.0, low_freq_factor = 0.0, high_freq_factor = 4.0, original_max_position = 8192>

// -----

// llama3 1: the high factor.
// expected-error @below {{expected high_freq_factor to be a positive, finite f64, but got -4.000000e+00 : f64}}
#a = #fuse.rope_llama3<factor = 8.0, low_freq_factor = 1.0, high_freq_factor = -4.0, original_max_position = 8192>

// -----

// llama3 1: low below high.
// expected-error @below {{expected low_freq_factor below high_freq_factor, but got 4.000000e+00 : f64 and 4.000000e+00 : f64; 1.0 and 4.0 are usual}}
#a = #fuse.rope_llama3<factor = 8.0, low_freq_factor = 4.0, high_freq_factor = 4.0, original_max_position = 8192>

// -----

// llama3 2.
// expected-error @below {{expected original_max_position to be 1 or more, but got 0; give the length that the model was trained on}}
#a = #fuse.rope_llama3<factor = 8.0, low_freq_factor = 1.0, high_freq_factor = 4.0, original_max_position = 0>

// -----

// yarn 1: the factor.
// expected-error @below {{expected factor to be a positive, finite f64, but got 0.000000e+00 : f64}}
#a = #fuse.rope_yarn<factor = 0.0, original_max_position = 32768>

// -----

// yarn 1: beta_fast.
// expected-error @below {{expected beta_fast to be a positive, finite f64, but got 0.000000e+00 : f64}}
#a = #fuse.rope_yarn<factor = 4.0, original_max_position = 32768, beta_fast = 0.0>

// -----

// yarn 1: beta_slow.
// expected-error @below {{expected beta_slow to be a positive, finite f64, but got -1.000000e+00 : f64}}
#a = #fuse.rope_yarn<factor = 4.0, original_max_position = 32768, beta_slow = -1.0>

// -----

// yarn 1: attention_factor.
// expected-error @below {{expected attention_factor to be a positive, finite f64, but got 0.000000e+00 : f64}}
#a = #fuse.rope_yarn<factor = 4.0, original_max_position = 32768, attention_factor = 0.0>

// -----

// yarn 1: fast and slow.
// expected-error @below {{expected beta_fast to be at least beta_slow, but got 3.200000e+01 and 3.300000e+01; 32.0 and 1.0 are usual}}
#a = #fuse.rope_yarn<factor = 4.0, original_max_position = 32768, beta_slow = 33.0>

// -----

// yarn 2.
// expected-error @below {{expected original_max_position to be 1 or more, but got -1}}
#a = #fuse.rope_yarn<factor = 4.0, original_max_position = -1>

// -----

// longrope 1: the factor.
// expected-error @below {{expected factor to be a positive, finite f64, but got 0.000000e+00 : f64}}
#a = #fuse.rope_longrope<factor = 0.0, original_max_position = 4096, long_factors = [1.0]>

// -----

// longrope 1: attention_factor.
// expected-error @below {{expected attention_factor to be a positive, finite f64, but got 0.000000e+00 : f64}}
#a = #fuse.rope_longrope<factor = 32.0, original_max_position = 4096, long_factors = [1.0], attention_factor = 0.0>

// -----

// longrope 1: elements are positive.
// expected-error @below {{expected long_factors to hold positive, finite f64 numbers, but got [1.000000e+00, 0.000000e+00]; write them as [1.0, 1.05]}}
#a = #fuse.rope_longrope<factor = 32.0, original_max_position = 4096, long_factors = [1.0, 0.0]>

// -----

// longrope 1: elements are f64.
// expected-error @below {{expected short_factors to hold positive, finite f64 numbers, but got [1]}}
#a = #fuse.rope_longrope<factor = 32.0, original_max_position = 4096, short_factors = [1 : i64]>

// -----

// longrope 2.
// expected-error @below {{expected original_max_position to be 2 or more, but got 1}}
#a = #fuse.rope_longrope<factor = 32.0, original_max_position = 1, long_factors = [1.0]>

// -----

// longrope 3.
// expected-error @below {{expected short_factors, long_factors or both, but got neither; give a list with a factor for each pair}}
#a = #fuse.rope_longrope<factor = 32.0, original_max_position = 4096>
