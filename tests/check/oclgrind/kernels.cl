// SPDX-License-Identifier: Apache-2.0
// Planted faults and clean programs of tests/check/planted whose kind OpenCL has, too, for Oclgrind: oclgrind.sh runs them. Names are those of the
// programs, with _ for -.
kernel void block_early_barrier(global uint *b){ local uint s[64]; uint t=get_local_id(0); barrier(CLK_LOCAL_MEM_FENCE); s[t]=t; b[t]=s[63-t]; }
kernel void block_waw(global uint *b){ local uint s[1]; uint t=get_local_id(0); s[0]=t; barrier(CLK_LOCAL_MEM_FENCE); b[t]=s[0]; }
kernel void block_init_atomic(global uint *b){ local uint h[4]; uint t=get_local_id(0); if(t<4) h[t]=0; atomic_inc(&h[t&3]); barrier(CLK_LOCAL_MEM_FENCE); if(t<4) b[t]=h[t]; }
kernel void block_reduce(global uint *b){ local uint s[64]; uint t=get_local_id(0); s[t]=t; barrier(CLK_LOCAL_MEM_FENCE); for(uint d=32;d;d>>=1) if(t<d) s[t]+=s[t+d]; if(!t) b[0]=s[0]; }
kernel void block_bits(global uint *b){ local uchar s[8]; uint t=get_local_id(0); if(t<8) s[t]=0; barrier(CLK_LOCAL_MEM_FENCE); s[t/8]|=1<<(t&7); barrier(CLK_LOCAL_MEM_FENCE); if(t<8) b[t]=s[t]; }
kernel void global_counter(global uint *b){ b[0]=b[0]+1; }
kernel void global_neighbour_block(global uint *b){ uint g=get_group_id(0); uint t=get_local_id(0); b[g*64+t]=t; if(g) b[1024+g*64+t]=b[(g-1)*64+t]; }
kernel void global_atomic_plain(global uint *b){ atomic_inc(b); if(get_global_id(0)==200) b[1]=b[0]; }
kernel void global_last_block(global uint *b){ local uint last; uint t=get_local_id(0), g=get_group_id(0); if(!t){ b[1+g]=g; last=atomic_inc(b)==get_num_groups(0)-1; } barrier(CLK_LOCAL_MEM_FENCE); if(last && !t){ uint s=0; for(uint k=0;k<get_num_groups(0);k++) s+=b[1+k]; b[100]=s; } }
kernel void global_unlock_plain(global uint *b){ if(!get_local_id(0)){ while(atomic_cmpxchg(b,0,1)); b[1]++; b[0]=0; } }
kernel void init_shared(global uint *b){ local uint s[64]; uint t=get_local_id(0); if(t<32) s[t]=t; barrier(CLK_LOCAL_MEM_FENCE); if(s[t]>3) b[t]=1; }
kernel void init_local(global uint *b){ uint a[8]; uint t=get_local_id(0); for(uint k=0;k<8;k++) if(k!=(b[0]&7)) a[k]=k; if(a[t&7]>3) b[t]=1; }
kernel void init_global(global uint *a, global uint *b){ uint t=get_local_id(0); if(a[t]>3) b[t]=1; }
kernel void init_odd_bytes(global uchar *a, global uint *b){ uint t=get_local_id(0); a[4*t]=1;a[4*t+1]=1;a[4*t+2]=1; barrier(CLK_GLOBAL_MEM_FENCE); b[t]=((global uint*)a)[t]; if(b[t]>5) b[t]=1; }
kernel void clean_padding_copy(global uchar *a, global uint *b){ uint t=get_local_id(0); a[8*t]=1; ((global uint*)a)[2*t+1]=7; ((global uint*)b)[2*t]=((global uint*)a)[2*t]; b[2*t+1]=((global uint*)a)[2*t+1]; }
kernel void g_one_past_write(global uint *b){ b[get_local_id(0)+1]=1; }
kernel void g_negative(global uint *b){ b[get_local_id(0)]=b[(int)get_local_id(0)-1]; }
kernel void g_vector_straddle(global uint *b){ uint t=get_local_id(0); uint4 v=vload4(0,b+t); b[0]=v.x; }
kernel void shared_one_past(global uint *b){ local uint s[64]; uint t=get_local_id(0); s[t+1]=t; barrier(CLK_LOCAL_MEM_FENCE); b[t]=s[t]; }
kernel void shared_neighbour(global uint *b, uint n){ local uint s[32]; local uint r[32]; uint t=get_local_id(0); if(t<32) r[t]=100; barrier(CLK_LOCAL_MEM_FENCE); if(t<n) s[t]=t; barrier(CLK_LOCAL_MEM_FENCE); if(t<32) b[t]=s[t]+r[t]; }
kernel void shared_carved(global uint *b, uint n){ local uint f[64]; local uint *s=f,*r=f+32; uint t=get_local_id(0); if(t<32) r[t]=100; barrier(CLK_LOCAL_MEM_FENCE); if(t<n) s[t]=t; barrier(CLK_LOCAL_MEM_FENCE); if(t<32) b[t]=s[t]+r[t]; }
kernel void null_read(global uint *b){ global uint *p=(global uint*)(ulong)(b[0]&0); b[1]=p[0]; }
kernel void mis_store_u64(global uint *b){ *(global ulong*)(b+1)=1; }
kernel void local_negative(global uint *b){ volatile uint a[8]; for(int k=0;k<8;k++) a[k]=k; b[get_local_id(0)]=a[(int)b[0]-1]; }
kernel void sync_divergent(global uint *b){ uint t=get_local_id(0); if(t<16){ barrier(CLK_LOCAL_MEM_FENCE); b[t]=1; } else { barrier(CLK_LOCAL_MEM_FENCE); b[t]=2; } }
kernel void sync_some(global uint *b){ uint t=get_local_id(0); if(t<16) barrier(CLK_LOCAL_MEM_FENCE); b[t]=1; }
kernel void clean_transpose(global uint *b){ local uint s[64]; uint t=get_local_id(0); s[t]=t; barrier(CLK_LOCAL_MEM_FENCE); b[t]=s[63-t]; }
kernel void clean_bytes(global uchar *b){ b[get_global_id(0)]=1; }
kernel void clean_histogram(global uint *b){ local uint h[4]; uint t=get_local_id(0); if(t<4) h[t]=0; barrier(CLK_LOCAL_MEM_FENCE); atomic_inc(&h[t&3]); barrier(CLK_LOCAL_MEM_FENCE); if(t<4) atomic_add(&b[t],h[t]); }
kernel void clean_last_block(global uint *b){ local uint last; uint t=get_local_id(0), g=get_group_id(0); if(!t){ b[1+g]=g; mem_fence(CLK_GLOBAL_MEM_FENCE); last=atomic_inc(b)==get_num_groups(0)-1; } barrier(CLK_LOCAL_MEM_FENCE|CLK_GLOBAL_MEM_FENCE); if(last && !t){ mem_fence(CLK_GLOBAL_MEM_FENCE); uint s=0; for(uint k=0;k<get_num_groups(0);k++) s+=b[1+k]; b[100]=s; } }
kernel void clean_spinlock(global uint *b){ if(!get_local_id(0)){ while(atomic_cmpxchg(b,0,1)); mem_fence(CLK_GLOBAL_MEM_FENCE); b[1]++; mem_fence(CLK_GLOBAL_MEM_FENCE); atomic_xchg(b,0); } }
kernel void clean_union_reuse(global uint *b){ local uint s[64]; uint t=get_local_id(0); s[t]=t; barrier(CLK_LOCAL_MEM_FENCE); uint v=s[63-t]; barrier(CLK_LOCAL_MEM_FENCE); s[t]=v+1; barrier(CLK_LOCAL_MEM_FENCE); b[t]=s[63-t]; }
kernel void clean_vector_unused(global uint *a, global uint *b){ uint t=get_local_id(0); a[4*t]=a[4*t+1]=a[4*t+2]=t; uint4 v=vload4(t,a); b[t]=v.x+v.y+v.z; if(b[t]>100) b[t]=0; }
