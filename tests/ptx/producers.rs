// The kernel of producers.cu, for tests/producers.sh: Rust without its core library, which is not there for this target.
#![no_core]
#![crate_type = "lib"]
#![feature(no_core, lang_items, abi_ptx, rustc_attrs, asm_experimental_arch, link_llvm_intrinsics, decl_macro)]
#![allow(internal_features)]

#[lang = "pointee_sized"]
pub trait PointeeSized {}
#[lang = "meta_sized"]
pub trait MetaSized: PointeeSized {}
#[lang = "sized"]
pub trait Sized: MetaSized {}
#[lang = "copy"]
pub trait Copy {}
impl Copy for i32 {}
impl Copy for f32 {}
impl<T: PointeeSized> Copy for *mut T {}
impl<T: PointeeSized> Copy for *const T {}
#[lang = "legacy_receiver"]
pub trait LegacyReceiver {}
#[rustc_builtin_macro]
pub macro asm("template", $(operands,)* $(options($(option),*))?) {}

extern "C" {
    #[link_name = "llvm.nvvm.read.ptx.sreg.tid.x"]
    fn tid_x() -> i32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.tid.y"]
    fn tid_y() -> i32;
}

#[no_mangle]
pub unsafe extern "ptx-kernel" fn tile(out: *mut f32, v: f32, _n: i32) {
    asm!("{{ .shared .align 4 .b8 s[4096]; .reg .b32 %t<3>; mov.b32 %t0, s;",
         "mad.lo.s32 %t1, {y}, 32, {x}; mad.lo.s32 %t1, %t1, 4, %t0; st.shared.f32 [%t1], {v}; bar.sync 0;",
         "mad.lo.s32 %t2, {x}, 32, {y}; mad.lo.s32 %t2, %t2, 4, %t0; ld.shared.f32 {v}, [%t2]; }}",
         x = in(reg32) tid_x(), y = in(reg32) tid_y(), v = inout(reg32) v => *out);
}
